// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import io.accel.core.fabric.MemoryRegion;

/**
 * Takes the bytes of one direction, on the threads that carry them: bytes that a writer publishes, or that a reader
 * has read. It must not throw, and waits no longer than a copy takes. The writer or reader calls {@link #take}, one
 * at a time; {@link #end} may come from any thread.
 */
public interface StreamTap {
    /**
     * Takes bytes that go by. They stay in the ring until this returns.
     *
     * @param ring the ring that they lie in
     * @param cursor the cursor of the first byte in the ring
     * @param n how many
     * @param position the position of the first byte in its direction, counted from the first byte through the kernel
     * and over this link
     */
    void take(MemoryRegion ring, long cursor, int n, long position);

    /**
     * The direction has ended; perhaps not for the first time.
     *
     * @param reset whether a reset ended it
     */
    void end(boolean reset);
}
