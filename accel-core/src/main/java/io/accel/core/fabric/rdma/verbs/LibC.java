// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Variadic;

/** The few functions of the C library that go with verbs. */
@CName("")
final class LibC {
    static final int F_GETFL = 3;

    static final int F_SETFL = 4;

    static final int F_DUPFD_CLOEXEC = 1030;

    static final int O_NONBLOCK = 0x800;

    static final int EOPNOTSUPP = 95;
    static final int EAGAIN = 11;

    static final int EACCES = 13;

    static final int EPERM = 1;

    static final int ENOMEM = 12;

    static final int ENOSYS = 38;

    static final int AF_INET = 2;

    static final int AF_INET6 = 10;

    static final Functions C = LibraryLoader.create(Functions.class).load("c");

    /** This is {@link #C}, except in tests. */
    private static volatile Functions current = C;

    private LibC() {}

    /** Bound by jnr-ffi from another class loader, hence public. */
    public interface Functions {
        @Variadic(fixedCount = 2)
        int fcntl(int fd, int command, long argument);

        int close(int fd);

        String strerror(int errno);
    }

    /** Replaces the functions, see {@link Libraries#interpose}. */
    static void use(Functions functions) {
        current = functions;
    }

    /** Makes reads of the descriptor return EAGAIN instead of waiting, as an event loop needs. */
    static void makeNonBlocking(int fd) throws VerbsException {
        Functions c = current;
        int flags = c.fcntl(fd, F_GETFL, 0);
        if (flags < 0 || c.fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
            throw VerbsException.lastError("fcntl", "descriptor " + fd);
        }
    }

    /** Duplicates a descriptor of an open file, for an owner that will close the duplicate. */
    static int duplicate(int fd) throws VerbsException {
        int copy = current.fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (copy < 0) {
            throw VerbsException.lastError("fcntl", "duplicating descriptor " + fd);
        }
        return copy;
    }
}
