// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.accel.Reset}: an accelerated connection was reset. */
@Name("io.accel.Reset")
@Label("Connection Reset")
@Description("An accelerated connection was reset: bytes may be lost")
final class ResetEvent extends FlightEvent {
    @Label("By Peer")
    @Description("Whether the peer did it, or the connection broke; otherwise this side did")
    boolean byPeer;

    @Label("Cause")
    String cause;
}
