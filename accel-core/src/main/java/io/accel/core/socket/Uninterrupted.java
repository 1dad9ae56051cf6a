// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

/**
 * Lets an interrupted thread run an action as any other thread would. A JDK channel that an interrupted thread uses closes itself, with a
 * reset if any byte is unread there, even an announcement. Stateless.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** Runs an action. An earlier interrupt is kept for later; an interrupt that comes meanwhile hits the action. */
    static void run(Runnable action) {
        boolean interrupted = Thread.interrupted();
        try {
            action.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
