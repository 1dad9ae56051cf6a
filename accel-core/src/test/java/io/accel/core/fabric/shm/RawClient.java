// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A client that sends to a rendezvous anything that a test wants. */
final class RawClient implements AutoCloseable {
    final SocketChannel socket;
    private final Path directory;

    RawClient(Path directory) throws IOException {
        this.directory = directory;
        this.socket = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX);
        socket.connect(UnixDomainSocketAddress.of(directory.resolve(RendezvousPath.SOCKET)));
        socket.configureBlocking(false);
    }

    RawClient say(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
        return this;
    }

    RawClient say(byte... bytes) throws IOException {
        return say(ByteBuffer.wrap(bytes));
    }

    static Hello hello(long nonce) {
        return new Hello(
                nonce,
                ShmEnds.RING,
                ShmEnds.address("127.0.0.1", 50_001),
                ShmEnds.address("127.0.0.1"),
                Namespace.OWN.name(),
                0,
                0);
    }

    /** Says hello, and returns when the listener wants the file. */
    RawClient go(long nonce) throws IOException {
        say(hello(nonce).encode());
        int status = status();
        if (status != Hello.GO) {
            throw new AssertionError("status " + status);
        }
        return this;
    }

    /** Makes a sound shared file. */
    RawClient makeFile(long nonce) throws IOException {
        return makeFile(nonce, nonce);
    }

    /** Makes a shared file with the name of one nonce and another nonce in it. */
    RawClient makeFile(long nonce, long written) throws IOException {
        JdkAccess.unmap(SharedFile.create(directory.resolve(hello(nonce).file()), ShmEnds.RING, written, ""));
        return this;
    }

    /** The listener's whole answer, up to the end of the connection or the full length of an answer. */
    ByteBuffer answer() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Hello.ANSWER);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (bytes.hasRemaining()) {
            if (socket.read(bytes) < 0) {
                break;
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("no answer after 10 s, only " + bytes.position() + " bytes");
            }
            Thread.onSpinWait();
        }
        return bytes.flip();
    }

    int status() throws IOException {
        return answer().getInt(12);
    }

    /** Waits for the listener to hang up; fails if it does not. */
    void awaitHangUp() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        ByteBuffer rest = ByteBuffer.allocate(64);
        while (read(rest.clear()) >= 0) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("the listener has not hung up after 10 s");
            }
            Thread.onSpinWait();
        }
    }

    private int read(ByteBuffer rest) throws IOException {
        try {
            return socket.read(rest);
        } catch (IOException e) {
            return -1; // hung up with something unread
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
