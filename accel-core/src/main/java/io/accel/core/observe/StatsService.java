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
 * that comes asks for a sample, which is left in the {@link StatsFile} and announced by a byte in return. The file is there
 * only while somebody looks. Nothing of this touches a thread that carries data.
 */
public final class StatsService implements AutoCloseable {
    private static final Log LOG = Log.of(StatsService.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final byte DONE = 1;
    private static final byte FAILED = 2;

    private static boolean started; // guarded by the class

    private final Path dir;
    private final String profile;

    // Guarded by this.
    private ServerSocketChannel server;
    private Path directory;
    private StatsFile file;
    private int readers;

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
                file = new StatsFile(directory.resolve(StatsDirectory.FILE));
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
        enter();
        try (reader) {
            ByteBuffer one = ByteBuffer.allocate(1);
            while (reader.read(one.clear()) > 0) {
                reader.write(ByteBuffer.wrap(new byte[] {publish()}));
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the 'accel stats' that looked at this process hung up", e);
        } catch (Throwable e) {
            ERRORS.warn("an 'accel stats' that looked at this process met an error", e);
        } finally {
            leave();
        }
    }

    private synchronized void enter() {
        readers++;
    }

    private synchronized byte publish() {
        try {
            file.write(SampleCodec.encode(ProcessSample.take(profile)));
            return DONE;
        } catch (IOException | RuntimeException e) {
            LOG.get().log(Level.DEBUG, "no sample for 'accel stats'", e);
            return FAILED;
        }
    }

    private synchronized void leave() {
        if (--readers == 0) {
            try {
                file.delete();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "removing the file of 'accel stats' failed", e);
            }
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

    /** Whether an answer says that there is a sample. */
    static boolean isDone(byte answer) {
        return answer == DONE;
    }
}
