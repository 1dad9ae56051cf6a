package io.accel.core.stream;

import io.accel.core.fabric.MemoryRegion;

/**
 * Takes what one direction carries, by the threads that carry it: what a writer publishes, or what a reader has read. It must not
 * throw, and waits no longer than a copy takes. The writer or reader calls {@link #take}, one at a time; {@link #end} may come from
 * any thread.
 */
public interface StreamTap {
    /**
     * Bytes go by. They stay in the ring until this returns.
     *
     * @param ring where they are
     * @param cursor of the first byte in the ring
     * @param n how many
     * @param position which byte of the direction the first is: counted from the first through the kernel and by this link
     */
    void take(MemoryRegion ring, long cursor, int n, long position);

    /**
     * The direction has ended; perhaps not for the first time.
     *
     * @param reset whether by a reset
     */
    void end(boolean reset);
}
