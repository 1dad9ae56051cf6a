// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** {@code io.accel.DoorbellStorm}: a connection's doorbell rings so often that spinning would cost less. */
@Name("io.accel.DoorbellStorm")
@Label("Doorbell Storm")
@Description("The peer wakes this side for nearly every message, each time by a system call: poll.spin is too short for"
        + " this traffic")
final class DoorbellStormEvent extends FlightEvent {
    @Label("Doorbells")
    long doorbells;

    @Label("Period")
    @Description("The time in which they rang")
    @Timespan
    long period;
}
