// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Privileged;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.File;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * Decides how large the rings of a datagram socket's links are: as the profile says, or as large as the kernel's receive buffer if the
 * program has raised that, so that a ring holds any burst that the kernel would hold. All peers share the kernel's buffer: so the second
 * link gets half of its size, the third a third. Thread-safe.
 */
final class DatagramRings {
    /** The kernel counts its overhead along with the datagrams it keeps, and doubles the size that a program asks for to allow for that. */
    private static final int KERNELS_SHARE = 2;
    /**
     * A link takes one part in this many of the shared memory that is left, or of {@code shm.max}, unless its rings have the profile's
     * size.
     */
    private static final int PARTS = 16;

    private final DatagramChannel kernel;
    private final int least;
    private final File memory;
    /** The memory that the profile allows all links of the process, or as much as there is. */
    private final long cap;
    /**
     * The size of the kernel's buffer that no program has changed, which is the same for all sockets; 0 until the first socket has asked.
     * Threads that ask at the same time get the same answer.
     */
    private static volatile int usual;

    /** The ring sizes for a socket; the process's first is one whose options the program has not set yet. */
    DatagramRings(DatagramChannel kernel, Profile profile) {
        this.kernel = kernel;
        this.least = profile.get(Keys.DATAGRAM_RING_SIZE);
        this.memory = profile.get(Keys.SHM_DIR).toFile();
        long most = SharedMemoryCap.of(profile);
        this.cap = most == 0 ? Long.MAX_VALUE : most;
        if (usual == 0) {
            findUsual(kernel);
        }
    }

    private static void findUsual(DatagramChannel kernel) {
        try {
            usual = kernel.getOption(StandardSocketOptions.SO_RCVBUF);
        } catch (IOException e) {
            return; // closed: it never has a ring
        }
    }

    /** The size in bytes of either ring of the next link, given the number of existing links. */
    int next(int links) {
        long wanted = raised() / (links + 1);
        int size = least;
        if (size < wanted) {
            long most = room() / PARTS / 2;
            while (size < wanted && size < Keys.MOST_RING && 2L * size <= most) {
                size *= 2;
            }
        }
        return size;
    }

    /** The size of the datagrams that the kernel may keep; 0 unless the program has raised it above the usual size. */
    private long raised() {
        try {
            int buffer = kernel.getOption(StandardSocketOptions.SO_RCVBUF);
            return buffer > usual ? (long) KERNELS_SHARE * buffer : 0;
        } catch (IOException e) {
            return 0; // the channel is closed by now
        }
    }

    private long room() {
        try {
            return Math.min(cap, Privileged.get(memory::getUsableSpace));
        } catch (SecurityException e) {
            return 0;
        }
    }
}
