package io.accel.core.fabric.shm;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The client's side of the rendezvous: makes the shared file, says hello, waits for the answer, confirms. One thread at a
 * time.
 */
final class ShmConnecting implements Connecting {
    private final ShmConfig config;
    private final InetSocketAddress local;
    private final Path file;
    private final SocketChannel socket;
    private final MappedByteBuffer map;
    private final long deadline;
    private final ByteBuffer answer = ByteBuffer.allocate(Hello.ANSWER);
    private boolean done;

    ShmConnecting(ShmConfig config, Path directory, InetSocketAddress local, InetSocketAddress destination)
            throws FallbackException {
        this.config = config;
        this.local = local;
        this.socket = call(directory.resolve(RendezvousPath.SOCKET));
        long nonce = ThreadLocalRandom.current().nextLong();
        this.file = directory.resolve(Hello.FILE_PREFIX + Long.toHexString(nonce));
        MappedByteBuffer created = null;
        try {
            created = SharedFile.create(file, config.ringSize(), nonce, config.group());
            ByteBuffer hello = new Hello(
                            nonce,
                            config.ringSize(),
                            local,
                            destination,
                            file.getFileName().toString())
                    .encode();
            socket.write(hello);
            if (hello.hasRemaining()) {
                throw new FallbackException(FallbackReason.NO_RESOURCES, "a new socket does not take a hello");
            }
        } catch (IOException e) {
            close(created);
            throw e instanceof FallbackException f
                    ? f
                    : new FallbackException(FallbackReason.STALE_RENDEZVOUS, "saying hello failed: " + e.getMessage());
        }
        this.map = created;
        this.deadline = System.nanoTime() + config.probeTimeoutNanos();
    }

    @Override
    public SelectableChannel channel() {
        return socket;
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public Link advance() throws FallbackException {
        try {
            int n = socket.read(answer);
            if (answer.hasRemaining()) {
                if (n < 0) {
                    throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the listener closed without an answer");
                }
                if (System.nanoTime() - deadline >= 0) {
                    throw new FallbackException(
                            FallbackReason.TIMEOUT,
                            "no answer within " + config.probeTimeoutNanos() / 1_000_000
                                    + " ms (connect.probe-timeout); the peer is stopped or overloaded");
                }
                return null;
            }
            int status = Hello.checkAnswer(answer);
            if (status != 0) {
                FallbackReason reason = FallbackReason.ofCode(status);
                throw new FallbackException(reason, "the listener refused: " + reason.sentence());
            }
            socket.write(ByteBuffer.wrap(new byte[] {Hello.CONFIRM}));
            Link link = new ShmLink(map, config.ringSize(), true, socket);
            done = true;
            SharedFile.delete(file); // the listener did, unless it died just now
            return link;
        } catch (FallbackException e) {
            abort();
            throw e;
        } catch (IOException e) {
            abort();
            throw new FallbackException(
                    FallbackReason.STALE_RENDEZVOUS, "the listener closed during the handshake: " + e.getMessage());
        }
    }

    @Override
    public void abort() {
        if (!done) {
            done = true;
            close(map);
        }
    }

    private static SocketChannel call(Path socketPath) throws FallbackException {
        SocketChannel socket = null;
        try {
            socket = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX);
            socket.configureBlocking(false);
            if (socket.connect(UnixDomainSocketAddress.of(socketPath))) {
                return socket;
            }
            closeQuietly(socket);
            throw new FallbackException(FallbackReason.BACKLOG_FULL, socketPath + " takes no more connections now");
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            if (socket == null) {
                throw new FallbackException(FallbackReason.NO_RESOURCES, "opening a socket failed: " + e.getMessage());
            }
            closeQuietly(socket);
            String message = String.valueOf(e.getMessage());
            FallbackReason reason = reasonFor(e, socketPath);
            throw new FallbackException(reason, "calling " + socketPath + " failed: " + message);
        }
    }

    /** By the exception's type: its message is the C library's, in the user's language. */
    private static FallbackReason reasonFor(IOException e, Path socketPath) {
        if (e instanceof BindException) {
            return FallbackReason.OTHER_USER; // EACCES
        }
        if (e instanceof ConnectException || Files.notExists(socketPath)) {
            return FallbackReason.STALE_RENDEZVOUS;
        }
        return FallbackReason.BACKLOG_FULL; // EAGAIN
    }

    private void close(MappedByteBuffer mapped) {
        closeQuietly(socket);
        SharedFile.delete(file);
        if (mapped != null) {
            JdkAccess.unmap(mapped);
        }
    }

    private static void closeQuietly(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(ShmConnecting.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a rendezvous socket failed", e);
        }
    }
}
