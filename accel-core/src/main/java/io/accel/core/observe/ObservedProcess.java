package io.accel.core.observe;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process of this user that can be looked at, seen from another one. One thread at a time. */
public final class ObservedProcess implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 2_000;

    private final Path directory;
    private final SocketChannel channel;
    private final Selector selector;
    private final StatsFile file;

    private ObservedProcess(Path directory, SocketChannel channel) throws IOException {
        this.directory = directory;
        this.channel = channel;
        this.selector = JdkAccess.kernelProvider().openSelector();
        channel.register(selector, SelectionKey.OP_READ);
        this.file = new StatsFile(directory.resolve(StatsDirectory.FILE));
    }

    /**
     * The directories by which processes of this user can be looked at. Which of them live is seen when they are opened.
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

    /** The directory by which it is looked at. */
    public Path directory() {
        return directory;
    }

    /**
     * How it is now.
     *
     * @return the sample, or null if it has ended
     * @throws IOException if it does not answer, as when it is stopped, or has no room for the sample
     */
    public ProcessSample sample() throws IOException {
        try {
            channel.write(ByteBuffer.wrap(new byte[] {1}));
        } catch (IOException e) {
            return null; // the other end is gone
        }
        ByteBuffer answer = ByteBuffer.allocate(1);
        selector.selectedKeys().clear();
        if (selector.select(PATIENCE_MILLIS) == 0) {
            throw new IOException(directory.getFileName() + " does not answer within " + PATIENCE_MILLIS
                    + " ms: its process is stopped or overloaded");
        }
        int n;
        try {
            n = channel.read(answer);
        } catch (IOException e) {
            return null;
        }
        if (n <= 0) {
            return null;
        }
        if (!StatsService.isDone(answer.get(0))) {
            throw new IOException(directory.getFileName() + " has no room for a sample in " + directory.getParent());
        }
        try {
            return SampleCodec.decode(file.read());
        } catch (NoSuchFileException e) {
            return null; // it ended just after its answer
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
        selector.close();
        channel.close();
    }
}
