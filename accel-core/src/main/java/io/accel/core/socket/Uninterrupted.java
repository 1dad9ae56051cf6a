// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

/**
 * Lets an interrupted thread do something as any other thread would. A JDK channel that an interrupted thread uses closes itself, with a
 * reset if any byte is unread there, even an announcement. Stateless.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** Runs an action. An earlier interrupt is kept for later; an interrupt that comes meanwhile hits the action. */
    static void run(Runnable action) {
        boolean interrupted = begin();
        try {
            action.run();
        } finally {
            end(interrupted);
        }
    }

    /** Begins an action, as {@link #run} does, where an object for it would cost too much. Returns what {@link #end} takes. */
    static boolean begin() {
        return Thread.interrupted();
    }

    /** Ends such an action. */
    static void end(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
