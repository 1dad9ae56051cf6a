// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import io.accel.core.poll.ProcessLoad;
import java.util.function.BooleanSupplier;

/**
 * Whether this process has too little time for what can wait: the processors are crowded, and it has not used so much of them that what
 * waits would be a small part of it. One thread asks, now and then. The machine is not looked at before.
 */
final class NoTimeToSpare implements BooleanSupplier {
    /** What waits takes three tenths of a second, a twentieth of this. */
    private static final long ENOUGH_NANOS = 6_000_000_000L;

    private ProcessLoad load;

    @Override
    public boolean getAsBoolean() {
        if (load == null) {
            load = new ProcessLoad();
        }
        return load.isCrowded() && load.processNanos() < ENOUGH_NANOS;
    }
}
