// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** {@code io.accel.Stall}: a sender waited for room in the peer's ring. */
@Name("io.accel.Stall")
@Label("Sender Stalled")
@Description("A sender had no room in the peer's ring: the peer reads more slowly than this side writes")
@Threshold("1 ms")
final class StallEvent extends FlightEvent {
    @Label("Queued")
    @Description("Bytes whose room the peer has not given back, at the end of the stall")
    @DataAmount
    long queued;
}
