package io.accel.core.socket;

/**
 * Does something by an interrupted thread as by any other: a channel of the JDK's that an interrupted thread uses closes itself, by a reset
 * if anything is unread there, be it an announcement. Stateless.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** Runs it. An interrupt from before is kept for later, and one that comes meanwhile is the action's. */
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
