package io.accel.core.observe;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * Lets {@code accel stats} look at this process: one daemon thread that sleeps in the kernel until somebody asks. Each byte
 * that comes asks for a sample, which goes back by the same socket, its length before it. So a look takes no room in a file
 * system, which may be full when somebody has a reason to look. Nothing of this touches a thread that carries data.
 */
public final class StatsService implements AutoCloseable {
    private static final Log LOG = Log.of(StatsService.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    /** What is sent in place of a length if there is no sample. */
    static final int NO_SAMPLE = 0;

    /** The JDK keeps a buffer outside the heap, as large as the largest part, for as long as the thread lives. */
    private static final int PART = 64 << 10;

    private static boolean started; // guarded by the class

    private final Path dir;
    private final String profile;

    // Guarded by this.
    private ServerSocketChannel server;
    private Path directory;

    private StatsService(Path dir, String profile) {
        this.dir = dir;
        this.profile = profile;
    }

    /**
     * Starts it, once for a process; later calls do nothing. If it cannot be started the log says so, at level DEBUG.
     *
     * @param dir where shared memory lives, {@code shm.dir}
     * @param profile the profile's name, to be shown
     */
    public static synchronized void start(Path dir, String profile) {
        if (!started) {
            started = true;
            try {
                StatsService service = open(dir, profile);
                Daemons.atExit("accel-stats-cleanup", service::close);
            } catch (RuntimeException | OutOfMemoryError e) {
                LOG.get().log(Level.DEBUG, "'accel stats' cannot look at this process", e);
            }
        }
    }

    static StatsService open(Path dir, String profile) {
        StatsService service = new StatsService(dir, profile);
        Daemons.start("accel-stats", service::run);
        return service;
    }

    private void run() {
        try (ServerSocketChannel opened =
                JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX)) {
            synchronized (this) {
                server = opened;
                directory = StatsDirectory.create(dir);
                server.bind(UnixDomainSocketAddress.of(directory.resolve(StatsDirectory.SOCKET)));
                directory = StatsDirectory.show(directory);
            }
            StatsDirectory.sweep(dir);
            while (true) {
                acceptOne(opened);
            }
        } catch (ClosedChannelException e) {
            LOG.get().log(Level.DEBUG, "'accel stats' cannot look at this process any more", e);
        } catch (Throwable e) {
            LOG.get().log(Level.DEBUG, "'accel stats' cannot look at this process", e);
        }
    }

    /** Out of descriptors, or threads: whoever looks later may have more luck. */
    private void acceptOne(ServerSocketChannel server) throws ClosedChannelException {
        try {
            SocketChannel reader = server.accept();
            try {
                Daemons.start("accel-stats-reader", () -> serve(reader));
            } catch (Throwable e) {
                reader.close();
                throw e;
            }
        } catch (ClosedChannelException e) {
            throw e;
        } catch (Throwable e) {
            ERRORS.warn("taking an 'accel stats' that wants to look failed", e);
            Daemons.pause();
        }
    }

    private void serve(SocketChannel reader) {
        try (reader) {
            ByteBuffer one = ByteBuffer.allocate(1);
            while (reader.read(one.clear()) > 0) {
                send(reader, sample());
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the 'accel stats' that looked at this process hung up", e);
        } catch (Throwable e) {
            ERRORS.warn("an 'accel stats' that looked at this process met an error", e);
        }
    }

    private byte[] sample() {
        try {
            return SampleCodec.encode(ProcessSample.take(profile));
        } catch (RuntimeException e) {
            LOG.get().log(Level.DEBUG, "no sample for 'accel stats'", e);
            return new byte[NO_SAMPLE];
        }
    }

    private static void send(SocketChannel reader, byte[] sample) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES + sample.length);
        all.putInt(sample.length).put(sample).flip();
        while (all.hasRemaining()) {
            ByteBuffer part = all.slice(all.position(), Math.min(PART, all.remaining()));
            all.position(all.position() + reader.write(part));
        }
    }

    /** Nobody can look any more. The thread ends. */
    @Override
    public synchronized void close() {
        if (server != null) {
            try {
                server.close();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "closing the socket of 'accel stats' failed", e);
            }
        }
        if (directory != null) {
            try {
                StatsDirectory.delete(directory);
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "removing " + directory + " failed; the next process removes it", e);
            }
        }
    }
}
