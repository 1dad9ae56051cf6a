// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.concurrent.atomic.AtomicLongArray;

/** The memory that connections hold, in bytes. Any thread. */
@SuppressWarnings("EnumOrdinal") // an index that never leaves the process
public final class MemoryUse {
    private static final AtomicLongArray RINGS = new AtomicLongArray(PathName.values().length + 1);
    private static final int REGISTERED = PathName.values().length;

    private static volatile long cap;

    private MemoryUse() {}

    /**
     * Rings, with their control blocks, were mapped or allocated, or given back.
     *
     * @param path the path of the rings
     * @param bytes how many bytes; negative if they were given back
     */
    public static void rings(PathName path, long bytes) {
        RINGS.addAndGet(path.ordinal(), bytes);
    }

    /**
     * Sets the most shared memory that the process may hold.
     *
     * @param bytes how many bytes; 0 for no limit
     */
    public static void cap(long bytes) {
        cap = bytes;
    }

    /** The most bytes of shared memory that the process may hold; 0 for no limit. */
    public static long cap() {
        return cap;
    }

    /** Bytes of rings that are mapped or allocated. */
    public static long rings(PathName path) {
        return RINGS.get(path.ordinal());
    }

    /**
     * Memory was registered with an RDMA device, or given back.
     *
     * @param bytes how many bytes; negative if they were given back
     */
    public static void registered(long bytes) {
        RINGS.addAndGet(REGISTERED, bytes);
    }

    /** Bytes that are registered with RDMA devices, and so pinned. */
    public static long registered() {
        return RINGS.get(REGISTERED);
    }
}
