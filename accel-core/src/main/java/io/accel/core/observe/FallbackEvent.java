// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.accel.Fallback}: a connection goes through the kernel although it might have been accelerated. */
@Name("io.accel.Fallback")
@Label("Fall-back to the Kernel")
@Description("A connection goes through the kernel, and why")
final class FallbackEvent extends FlightEvent {
    @Label("Role")
    @Description("client or server")
    String role;

    @Label("Reason")
    @Description("The reason code")
    String reason;

    @Label("Circumstances")
    @Description("The attempt, its outcome, and what to do")
    String detail;
}
