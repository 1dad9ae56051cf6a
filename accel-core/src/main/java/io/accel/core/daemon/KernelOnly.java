package io.accel.core.daemon;

import java.io.IOException;

/**
 * What Accel serves by itself through the kernel, such as its metrics: connections that are not the program's, and that nobody is to
 * find among the program's. Channels and selectors that a thread opens meanwhile are the JDK's. Thread-safe.
 */
public final class KernelOnly {
    private static final ThreadLocal<Boolean> CURRENT = new ThreadLocal<>();

    private KernelOnly() {}

    /**
     * Calls an action whose channels and selectors are to be the JDK's.
     *
     * @param action what to do
     * @return what it returns
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
