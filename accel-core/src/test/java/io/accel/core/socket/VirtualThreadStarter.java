// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

/** Starts virtual threads, of which the release that the tests are compiled for knows nothing. */
final class VirtualThreadStarter {
    private VirtualThreadStarter() {}

    /** Starts one. The JVM has them: a probe is run in one that does. */
    static Thread start(Runnable task) {
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this JVM has no virtual threads", e);
        }
    }
}
