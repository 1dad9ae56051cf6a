// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.accel.Connect}: a connection got its path. */
@Name("io.accel.Connect")
@Label("Connection Path Chosen")
@Description("A connection got its path; of a client's, the duration is that of its handshakes")
final class ConnectEvent extends FlightEvent {
    @Label("Role")
    @Description("client or server")
    String role;

    @Label("Reason")
    @Description("The reason, if the path is the kernel's")
    String reason;
}
