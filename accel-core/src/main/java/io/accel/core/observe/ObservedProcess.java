// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that can be observed, as another process sees it. One thread at a time. */
public final class ObservedProcess implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 2_000;
    /** The longest sample allowed, far more than {@link ProcessSample#MOST_CONNECTIONS} take. */
    private static final int LONGEST_SAMPLE = 64 << 20;

    private final Path directory;
    private final String user;
    private final SocketChannel channel;
    private final Selector selector;

    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    private ByteBuffer sample;
    /** Whether the process owes an answer; a late answer is taken the next time. */
    private boolean hasAsked;

    private ObservedProcess(Path directory, SocketChannel channel) throws IOException {
        this.directory = directory;
        this.user = Files.getOwner(directory).getName();
        this.channel = channel;
        this.selector = JdkAccess.kernelProvider().openSelector();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Finds the directories through which processes of this user can be observed; root finds those of all users.
     * Opening a directory tells whether its process is alive.
     *
     * @param dir the directory of shared memory, {@code shm.dir} of those processes
     * @throws IOException if it cannot be read
     */
    public static List<Path> find(Path dir) throws IOException {
        return new ArrayList<>(StatsDirectory.list(dir));
    }

    /**
     * Begins to observe a process.
     *
     * @param directory a directory that {@link #find} returned
     * @return the process, or null if it is dead
     * @throws IOException if the process lets nobody observe it
     */
    public static ObservedProcess open(Path directory) throws IOException {
        SocketChannel channel = StatsDirectory.call(directory);
        if (channel == null) {
            return null;
        }
        try {
            return new ObservedProcess(directory, channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** The id of the process that made a directory, as it saw it itself; -1 if the name says none. */
    public static long pidOf(Path directory) {
        return StatsDirectory.pidOf(directory);
    }

    /**
     * Whether the processes of all users are observed, since this one is root's.
     *
     * @throws IOException if that cannot be told
     */
    public static boolean seesAllUsers() throws IOException {
        return StatsDirectory.isRoot();
    }

    /** The name of the user to whom the process belongs. */
    public String user() {
        return user;
    }

    /** The directory through which the process is observed. */
    public Path directory() {
        return directory;
    }

    /**
     * Takes a sample of the process now.
     *
     * @return the sample, or null if the process has ended
     * @throws IOException if the process does not answer, as when it is stopped, or answers with nonsense
     */
    public ProcessSample sample() throws IOException {
        if (!hasAsked) {
            try {
                channel.write(ByteBuffer.wrap(new byte[] {1}));
            } catch (IOException e) {
                return null; // the other end is gone
            }
            hasAsked = true;
            sample = null;
            length.clear();
        }
        if (!hasCome(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS))) {
            return null;
        }
        hasAsked = false;
        return SampleCodec.decode(sample.array());
    }

    private boolean hasCome(long deadline) throws IOException {
        if (sample == null) {
            if (!hasFilled(length, deadline)) {
                return false;
            }
            int bytes = length.getInt(0);
            if (bytes == StatsService.NO_SAMPLE) {
                hasAsked = false;
                throw new IOException(
                        directory.getFileName() + " could not take a sample; its log at level DEBUG says why");
            }
            if (bytes < 0 || bytes > LONGEST_SAMPLE) {
                throw new IOException(directory.getFileName() + " sends nonsense: a sample of " + bytes + " bytes");
            }
            sample = ByteBuffer.allocate(bytes);
        }
        return hasFilled(sample, deadline);
    }

    /** Whether the buffer was filled; false if the process has ended. */
    private boolean hasFilled(ByteBuffer buffer, long deadline) throws IOException {
        while (buffer.hasRemaining()) {
            int n;
            try {
                n = channel.read(buffer);
            } catch (IOException e) {
                return false; // the process was killed
            }
            if (n < 0) {
                return false;
            }
            if (n == 0) {
                awaitMore(deadline);
            }
        }
        return true;
    }

    private void awaitMore(long deadline) throws IOException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        selector.selectedKeys().clear();
        if (left <= 0 || selector.select(left) == 0) {
            throw new IOException(directory.getFileName() + " does not answer within " + PATIENCE_MILLIS
                    + " ms: its process is stopped or overloaded");
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
