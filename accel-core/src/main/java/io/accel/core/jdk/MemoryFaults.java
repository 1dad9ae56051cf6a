// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

/**
 * Faults of memory that is mapped from a file, such as one that another process has truncated. The JVM reports a fault as an {@link
 * InternalError}. Newer JVMs throw it in the method that touched the memory, or soon after it. JDK 17 only takes note of it, and throws it
 * when the thread next enters the JVM for something that compiled code cannot do by itself: much later, perhaps, and in code that has
 * nothing to do with it. So code that must know whose memory has failed has the fault {@linkplain #surface surface} before it goes on.
 *
 * <p>Stateless.
 */
public final class MemoryFaults {
    /** The part of the JVM's message that is the same in all releases. */
    private static final String MESSAGE = "unsafe memory access operation";

    /** For how long faults that come late are expected. */
    private static final long LATE_NANOS = 10_000_000_000L;

    // Volatile, so that no compiler makes the array by itself, or leaves it out.
    private static volatile int one = 1;

    @SuppressWarnings("unused") // written, and never read
    private static volatile Object made;

    /** When memory of Accel's was last found to have failed; 0 for never. Any thread. */
    private static volatile long explainedAt;

    private MemoryFaults() {}

    /**
     * Throws the fault of memory that the calling thread has touched before, if it has yet to be thrown. This costs 0.1 microseconds, since
     * every JVM makes an array of arrays in its runtime, where it looks for such a fault.
     *
     * @throws InternalError the fault
     */
    public static void surface() {
        int n = one;
        made = new byte[n][n];
        made = null;
    }

    /** As {@link #surface}, for a caller that has dealt with the fault. */
    public static void absorb() {
        try {
            surface();
        } catch (InternalError e) {
            if (!isFault(e)) {
                throw e;
            }
        }
    }

    /**
     * Whether an error is such a fault.
     *
     * @param e the error
     */
    public static boolean isFault(Throwable e) {
        return e instanceof InternalError
                && e.getMessage() != null
                && e.getMessage().contains(MESSAGE);
    }

    /** Takes note that memory of Accel's has failed: other threads that have touched it may hear of it late. */
    public static void explain() {
        explainedAt = System.nanoTime() | 1;
    }

    /** Whether a fault whose memory is not known is one that was dealt with just before. */
    public static boolean isExplained() {
        long at = explainedAt;
        return at != 0 && System.nanoTime() - at < LATE_NANOS;
    }
}
