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

/** A process that can be looked at, seen from another one. One thread at a time. */
public final class ObservedProcess implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 2_000;
    /** Far more than {@link ProcessSample#MOST_CONNECTIONS} take. */
    private static final int LONGEST_SAMPLE = 64 << 20;

    private final Path directory;
    private final String user;
    private final SocketChannel channel;
    private final Selector selector;

    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    private ByteBuffer sample;
    /** Whether an answer is owed; one that came too late is taken the next time. */
    private boolean hasAsked;

    private ObservedProcess(Path directory, SocketChannel channel) throws IOException {
        this.directory = directory;
        this.user = Files.getOwner(directory).getName();
        this.channel = channel;
        this.selector = JdkAccess.kernelProvider().openSelector();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * The directories by which processes of this user can be looked at, for root those of all users. Which of them live is seen
     * when they are opened.
     *
     * @param dir where shared memory lives, {@code shm.dir} of those processes
     * @throws IOException if it cannot be read
     */
    public static List<Path> find(Path dir) throws IOException {
        return new ArrayList<>(StatsDirectory.list(dir));
    }

    /**
     * Begins to look at a process.
     *
     * @param directory one that was found
     * @return the process, or null if it is dead
     * @throws IOException if it does not let anybody look
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
     * Whether the processes of all users are looked at, since this one is root's.
     *
     * @throws IOException if that cannot be told
     */
    public static boolean seesAllUsers() throws IOException {
        return StatsDirectory.isRoot();
    }

    /** The name of the user to whom it belongs. */
    public String user() {
        return user;
    }

    /** The directory by which it is looked at. */
    public Path directory() {
        return directory;
    }

    /**
     * How it is now.
     *
     * @return the sample, or null if it has ended
     * @throws IOException if it does not answer, as when it is stopped, or answers with nonsense
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

    /** Whether it has come; false if the process has ended. */
    private boolean hasFilled(ByteBuffer buffer, long deadline) throws IOException {
        while (buffer.hasRemaining()) {
            int n;
            try {
                n = channel.read(buffer);
            } catch (IOException e) {
                return false; // it was killed
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
