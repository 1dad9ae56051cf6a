// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

/** Starts virtual threads, which the release that the tests are compiled for does not have. */
final class VirtualThreadStarter {
    private VirtualThreadStarter() {}

    /** Starts a virtual thread. The probe runs in a JVM that has them. */
    static Thread start(Runnable task) {
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this JVM has no virtual threads", e);
        }
    }

    /** Whether a thread waits, for good or for a time. */
    static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }
}
