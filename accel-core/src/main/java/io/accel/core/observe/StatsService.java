// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.jdk.OpenFiles;
import java.io.EOFException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import jdk.net.ExtendedSocketOptions;

/**
 * Lets {@code accel stats} and {@code accel capture} look at this process: one daemon thread sleeps in the kernel
 * until a client asks. Each byte from a client asks for a sample, or for a capture, which goes back over the same
 * socket, the length of each part before it. So a look takes no room in a file system, which may be full just when an
 * operator has a reason to look. Samples touch no thread that carries data; captures have such threads copy the data
 * that they carry.
 *
 * <p>Only this user and root can connect, because the socket lies in a directory of mode 0700.
 */
public final class StatsService implements AutoCloseable {
    private static final Log LOG = Log.of(StatsService.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    /** This stands for a length if there is no sample. */
    static final int NO_SAMPLE = 0;
    /** The byte that asks for a capture; a {@link CaptureRequest} follows. All others ask for a sample. */
    static final byte CAPTURE = 2;
    /** This stands for a length where a capture has ended; the numbers of packets kept, and dropped, follow. */
    static final int END_OF_CAPTURE = -1;
    /** This stands for a length if there is another capture. */
    static final int NO_CAPTURE = -2;

    /** The JDK keeps a buffer outside the heap, as large as the largest part, for as long as the thread lives. */
    private static final int PART = 64 << 10;

    private static boolean started; // guarded by the class

    private final Path dir;
    private final String profile;
    private final CaptureSource captures;

    // Guarded by this.
    private ServerSocketChannel server;
    private Path directory;

    private StatsService(Path dir, String profile, CaptureSource captures) {
        this.dir = dir;
        this.profile = profile;
        this.captures = captures;
    }

    /**
     * Starts the service, once for a process; later calls do nothing. If it cannot be started the log says so, at
     * level DEBUG.
     *
     * @param dir the directory of shared memory, {@code shm.dir}
     * @param profile the profile's name, to be shown
     * @param captures the source of captures
     */
    public static synchronized void start(Path dir, String profile, CaptureSource captures) {
        if (!started) {
            started = true;
            try {
                StatsService service = open(dir, profile, captures);
                Daemons.atExit("accel-stats-cleanup", service::close);
            } catch (RuntimeException | OutOfMemoryError e) {
                LOG.get().log(Level.DEBUG, "'accel stats' cannot look at this process", e);
            }
        }
    }

    static StatsService open(Path dir, String profile, CaptureSource captures) {
        StatsService service = new StatsService(dir, profile, captures);
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

    /** Accepts one client. The process may be out of descriptors, or threads: a later client may have more luck. */
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
            // Without a descriptor left this fails before anybody has called.
            if (!(e instanceof IOException) || OpenFiles.canOpen()) {
                ERRORS.warn("taking an 'accel stats' that wants to look failed", e);
            }
            Daemons.pause();
        }
    }

    private void serve(SocketChannel reader) {
        try (reader) {
            ByteBuffer one = ByteBuffer.allocate(1);
            while (reader.read(one.clear()) > 0) {
                if (one.get(0) == CAPTURE) {
                    capture(reader);
                    return;
                }
                send(reader, ByteBuffer.wrap(sample()));
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

    private void capture(SocketChannel reader) throws IOException {
        ByteBuffer head = receive(reader, CaptureRequest.HEAD);
        CaptureRequest request = CaptureRequest.decode(head, receive(reader, CaptureRequest.rest(head)));
        CaptureSource.Totals totals = captures.capture(request, userOf(reader), new Asking(reader));
        ByteBuffer end = ByteBuffer.allocate(Integer.BYTES + 2 * Long.BYTES);
        if (totals == null) {
            end.putInt(NO_CAPTURE);
        } else {
            end.putInt(END_OF_CAPTURE).putLong(totals.kept()).putLong(totals.dropped());
        }
        write(reader, end.flip());
    }

    /** The user of the asking process, for the log: the directory's mode decides who may ask. */
    private static String userOf(SocketChannel reader) throws IOException {
        try {
            return reader.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        } catch (NoClassDefFoundError e) {
            return "(unknown, for this JVM lacks the module jdk.net)";
        }
    }

    /** The client that asked for a capture; it wants no more when it shuts its end of the socket, or sends anything. */
    private static final class Asking implements CaptureSource.Sink {
        private final SocketChannel reader;
        private volatile boolean wanted = true;

        Asking(SocketChannel reader) {
            this.reader = reader;
            Daemons.start("accel-capture-end", this::awaitEnd);
        }

        private void awaitEnd() {
            try {
                int unused = reader.read(ByteBuffer.allocate(1));
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "the 'accel capture' of this process hung up", e);
            } finally {
                wanted = false;
            }
        }

        @Override
        public void take(ByteBuffer part) throws IOException {
            send(reader, part);
        }

        @Override
        public boolean isWanted() {
            return wanted;
        }
    }

    private static ByteBuffer receive(SocketChannel reader, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (reader.read(buffer) < 0) {
                throw new EOFException("the request ends within");
            }
        }
        return buffer.flip();
    }

    private static void send(SocketChannel reader, ByteBuffer part) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES + part.remaining());
        write(reader, all.putInt(part.remaining()).put(part).flip());
    }

    private static void write(SocketChannel reader, ByteBuffer all) throws IOException {
        while (all.hasRemaining()) {
            ByteBuffer part = all.slice(all.position(), Math.min(PART, all.remaining()));
            all.position(all.position() + reader.write(part));
        }
    }

    /** Ends the thread: from now on no client can look. */
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
