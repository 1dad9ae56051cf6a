// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.fabric.MemoryRegion;

/**
 * Takes the datagrams of one direction of a link, on the threads that carry them: datagrams that a sender sends, or
 * that a receiver has taken. It must not throw, and waits no longer than a copy takes. For each direction one thread
 * at a time calls it.
 */
public interface DatagramTap {
    /**
     * Takes a whole datagram that goes by. It stays in the ring until this returns.
     *
     * @param ring the ring that it lies in
     * @param cursor the cursor of its first byte in the ring
     * @param length how many bytes it has; perhaps none
     */
    void take(MemoryRegion ring, long cursor, int length);
}
