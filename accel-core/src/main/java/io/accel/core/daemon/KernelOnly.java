// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.io.IOException;

/**
 * Marks threads that serve Accel's own connections through the kernel, such as its metrics. They are not the
 * program's connections, and must not appear among them. A marked thread opens channels and selectors of the JDK's.
 * Thread-safe.
 */
public final class KernelOnly {
    private static final ThreadLocal<Boolean> CURRENT = new ThreadLocal<>();

    private KernelOnly() {}

    /**
     * Calls an action whose channels and selectors must be the JDK's.
     *
     * @param action the action
     * @return its result
     * @throws IOException as the action does
     */
    public static <T> T call(Privileged.Action<T> action) throws IOException {
        CURRENT.set(true);
        try {
            return action.run();
        } finally {
            CURRENT.remove();
        }
    }

    /** Whether the current thread is in such an action. */
    public static boolean isCurrent() {
        return CURRENT.get() != null;
    }
}
