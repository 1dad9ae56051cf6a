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
    @Description("Why it is the kernel's path, if it is")
    String reason;
}
