// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import jnr.ffi.LibraryLoader;

/** Waiting for a descriptor, as a selector would do it. */
final class Descriptors {
    private static final short POLLIN = 1;

    private static final Functions C = LibraryLoader.create(Functions.class).load("c");

    private Descriptors() {}

    /** Bound by jnr-ffi from another class loader, hence public. */
    public interface Functions {
        int poll(long descriptors, long count, int timeoutMillis);
    }

    static boolean isReadable(int fd, int timeoutMillis) {
        try (NativeMemory pollfd = NativeMemory.allocate(8)) {
            pollfd.buffer.putInt(0, fd).putShort(4, POLLIN);
            return C.poll(pollfd.address, 1, timeoutMillis) == 1;
        }
    }
}
