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

    static final int O_CLOEXEC = 0x80000;

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

        int dup3(int fd, int other, int flags);

        int eventfd(int count, int flags);

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

    /** Has a descriptor lead to another's file, in place of its own; its owner keeps it, and closes it when the owner pleases. */
    static void redirect(int fd, int to) throws VerbsException {
        if (current.dup3(to, fd, O_CLOEXEC) < 0) {
            throw VerbsException.lastError("dup3", "descriptor " + fd);
        }
    }

    /** Opens a file that is not readable until somebody writes to it. */
    static int eventFile() throws VerbsException {
        int fd = current.eventfd(0, O_CLOEXEC); // EFD_CLOEXEC is the same number
        if (fd < 0) {
            throw VerbsException.lastError("eventfd", "for closed channels");
        }
        return fd;
    }
}
