package io.accel.core.socket;

import io.accel.core.daemon.Privileged;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.File;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * How large the rings of a datagram socket's links are: as the profile says, or as large as the kernel's receive buffer if the program
 * has raised that, so that a burst is kept that the kernel would keep. The kernel's buffer is all peers': the second link gets half
 * of it, the third a third. Thread-safe.
 */
final class DatagramRings {
    /** The kernel counts what it keeps with all that it needs beside, for which it doubles what a program asks for. */
    private static final int KERNELS_SHARE = 2;
    /** Of the shared memory that is left, or of {@code shm.max}, a link takes one part in so many, unless its rings are the profile's. */
    private static final int PARTS = 16;

    private final DatagramChannel kernel;
    private final int least;
    private final File memory;
    /** What a profile lets all links of the process have, or as much as there is. */
    private final long cap;
    /** The buffer that nobody has asked for. */
    private final int usual;

    /**
     * Of a socket whose options the program has not set yet.
     *
     * @throws IOException if it is closed
     */
    DatagramRings(DatagramChannel kernel, Profile profile) throws IOException {
        this.kernel = kernel;
        this.least = profile.get(Keys.DATAGRAM_RING_SIZE);
        this.memory = profile.get(Keys.SHM_DIR).toFile();
        long most = SharedMemoryCap.of(profile);
        this.cap = most == 0 ? Long.MAX_VALUE : most;
        this.usual = kernel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    /** Bytes of either ring of the next link, beside so many. */
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

    /** What the kernel may keep; 0 unless the program wants it to be more than usual. */
    private long raised() {
        try {
            int buffer = kernel.getOption(StandardSocketOptions.SO_RCVBUF);
            return buffer > usual ? (long) KERNELS_SHARE * buffer : 0;
        } catch (IOException e) {
            return 0; // closed by now
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
