package io.accel.core.datagram;

import io.accel.core.fabric.MemoryRegion;

/**
 * Takes the datagrams of one direction of a link, by the threads that carry them: what a sender sends, or what a receiver has taken. It
 * must not throw, and waits no longer than a copy takes. Of each direction one thread at a time calls it.
 */
public interface DatagramTap {
    /**
     * A datagram goes by, whole. It stays in the ring until this returns.
     *
     * @param ring where it is
     * @param cursor of its first byte in the ring
     * @param length how many bytes it has; perhaps none
     */
    void take(MemoryRegion ring, long cursor, int length);
}
