// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.LinkShare;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.Shortage;
import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Keys;
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
 * The client's side of the rendezvous: it says hello, waits for permission, makes the shared file, and waits for the
 * answer. One thread at a time.
 */
final class ShmConnecting implements Connecting {
    /** A wait without a limit: short enough that adding it to the clock does not overflow. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    private final Wanted wanted;
    private final ShmConfig config;
    private final Hello hello;
    private final Path file;
    private final SocketChannel socket;
    private final long nonce = ThreadLocalRandom.current().nextLong();
    private final ByteBuffer answer = ByteBuffer.allocate(Hello.ANSWER);
    /** When the listener counts as silent. Each answer sets it anew. */
    private long deadline;

    private MappedByteBuffer map;
    /** Bytes of either ring; the listener may want more than the client asked for. */
    private int ringSize;

    private boolean pending;
    /** Whether the listener has the connection, and has asked what it has carried. */
    private boolean known;

    /** Whether the listener was told how much the connection has carried. */
    private boolean counted;
    /** How many bytes this end had received before the listener was asked; 0 if the connection has addresses. */
    private final long received;

    private boolean done;

    /**
     * Says hello to the listener in a directory, after a check that the directory is the listener's, and that the
     * process that answers belongs to the directory's owner: with {@code shm.group} others could put a socket there,
     * too.
     */
    ShmConnecting(Wanted wanted, Path directory) throws FallbackException {
        this.wanted = wanted;
        this.config = wanted.config();
        this.ringSize = wanted.ringSize();
        this.received = wanted.traits() == null ? 0 : wanted.traits().receivedAtLeast();
        long owner = RendezvousDirectory.check(directory, config.group());
        this.hello = wanted.hello(nonce);
        this.file = directory.resolve(hello.file());
        ByteBuffer said = hello.encode();
        this.socket = call(directory.resolve(RendezvousPath.SOCKET));
        boolean isSaid = false;
        try {
            Ownership.checkPeer(socket, owner, directory);
            checkProcess(directory);
            send(said);
            isSaid = true;
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.STALE_RENDEZVOUS, "saying hello failed: " + e.getMessage());
        } finally {
            if (!isSaid) {
                hangUp(socket);
            }
        }
        this.deadline = System.nanoTime() + config.probeTimeoutNanos();
    }

    /** A connection without addresses may be known to the process alone that listens where it leads, as the kernel has it. */
    private void checkProcess(Path directory) throws IOException {
        if (wanted.traits() != null && wanted.traits().listeningProcess() != JdkAccess.peerProcess(socket)) {
            throw new FallbackException(
                    FallbackReason.PEER_NOT_ACCELERATED,
                    "the process behind " + directory + " is not the one that the connection leads to");
        }
    }

    private void send(ByteBuffer message) throws IOException {
        socket.write(message);
        if (message.hasRemaining()) {
            throw new FallbackException(FallbackReason.NO_RESOURCES, "a new socket does not take a message");
        }
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
        return wanted.local();
    }

    @Override
    public boolean isPending() {
        return pending;
    }

    /** Whether the listener has said that it has the connection, as far as addresses tell. */
    boolean isKnown() {
        return known;
    }

    @Override
    public Link advance() throws FallbackException {
        try {
            while (hasAnswer()) {
                int status = Hello.checkAnswer(answer);
                answer.clear();
                if (Hello.isChallenge(status)) {
                    answerChallenge(Hello.challengedSent(status), Hello.challengedReceived(status));
                    continue;
                }
                if (status == Hello.COUNT) {
                    count();
                    continue;
                }
                if (Hello.isGoLarger(status)) {
                    enlarge(Hello.goRingSize(status));
                    makeFile();
                    continue;
                }
                switch (status) {
                    case Hello.PENDING -> {
                        pending = true;
                        deadline = System.nanoTime() + FOR_EVER;
                    }
                    case Hello.GO -> makeFile();
                    case Hello.DONE -> {
                        return established();
                    }
                    default -> {
                        FallbackReason reason = FallbackReason.ofCode(status);
                        throw new FallbackException(
                                reason,
                                "the listener refused: " + reason.sentence(),
                                reason.isWantOfRoom()
                                        || reason == FallbackReason.TIMEOUT
                                        || reason == FallbackReason.NOT_YET);
                    }
                }
            }
            return null;
        } catch (FallbackException e) {
            abort();
            throw e;
        } catch (IOException e) {
            abort();
            throw new FallbackException(
                    FallbackReason.STALE_RENDEZVOUS, "the listener closed during the handshake: " + e.getMessage());
        }
    }

    /** Tells once how much the connection has carried, after the listener has looked at those that it has. */
    private void count() throws IOException {
        if (wanted.traits() == null || counted) {
            throw new FallbackException(
                    FallbackReason.BAD_HANDSHAKE, "the listener asked what the connection has carried");
        }
        counted = true;
        long sent = wanted.traits().sentAtMost();
        if (sent < 0) {
            throw new FallbackException(FallbackReason.NOT_YET, "the peer has ended the connection", true);
        }
        deadline = System.nanoTime() + config.probeTimeoutNanos();
        send(Hello.counts(wanted.traits().connectedAt(), received, sent));
    }

    private boolean hasAnswer() throws IOException {
        int n = socket.read(answer);
        if (!answer.hasRemaining()) {
            return true;
        }
        if (n < 0) {
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the listener closed without an answer");
        }
        if (System.nanoTime() - deadline >= 0) {
            throw new FallbackException(
                    FallbackReason.TIMEOUT,
                    "no answer within " + config.probeTimeoutNanos() / 1_000_000
                            + " ms (connect.probe-timeout); the peer is stopped or overloaded",
                    true);
        }
        return false;
    }

    /** Tells once what the connection has carried, and no more of it than the listener has itself. */
    private void answerChallenge(int sent, int received) throws IOException {
        Beginnings beginnings = wanted.beginnings();
        if (beginnings == null
                || known
                || !Beginnings.isComparable(sent, hello.sent())
                || !Beginnings.isComparable(received, hello.received())) {
            throw new FallbackException(
                    FallbackReason.BAD_HANDSHAKE,
                    "the listener asked for the sums of " + sent + " and " + received + " bytes");
        }
        known = true;
        deadline = System.nanoTime() + config.probeTimeoutNanos();
        send(Hello.sums(beginnings.sumOfSent(sent), beginnings.sumOfReceived(received)));
    }

    /**
     * Datagrams without room are lost, so the receiver has a say in the rings' size; a stream's rings are the client's
     * affair.
     */
    private void enlarge(int bytes) throws FallbackException {
        if (config.space() != PortSpace.UDP || bytes < ringSize || bytes > Keys.MOST_RING) {
            throw new FallbackException(
                    FallbackReason.BAD_HANDSHAKE, "the listener asked for rings of " + bytes + " bytes");
        }
        ringSize = bytes;
    }

    private void makeFile() throws IOException {
        if (map != null) {
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the listener asked for a second file");
        }
        pending = false;
        long size = ShmLayout.fileSize(ringSize);
        MemoryCap.take(size, config.most());
        try {
            map = SharedFile.create(file, ringSize, nonce, config.group());
        } finally {
            if (map == null) {
                MemoryCap.giveBack(size);
            }
        }
        deadline = System.nanoTime() + config.probeTimeoutNanos();
        send(ByteBuffer.wrap(new byte[] {Hello.MADE}));
    }

    private Link established() throws IOException {
        if (map == null) {
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the listener answered before there was a file");
        }
        Link link = new ShmLink(map, ringSize, true, socket);
        done = true;
        SharedFile.delete(file); // the listener has deleted it, unless it died just now
        return link;
    }

    @Override
    public void abort() {
        if (!done) {
            done = true;
            close();
        }
    }

    private static SocketChannel call(Path socketPath) throws FallbackException {
        SocketChannel socket = null;
        boolean isConnected = false;
        LinkShare.take();
        try {
            socket = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX);
            socket.configureBlocking(false);
            isConnected = socket.connect(UnixDomainSocketAddress.of(socketPath));
            if (isConnected) {
                return socket;
            }
            throw new FallbackException(FallbackReason.BACKLOG_FULL, socketPath + " takes no more connections now");
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            if (socket == null) {
                throw Shortage.of(FallbackReason.NO_RESOURCES, "opening a socket failed: " + e.getMessage());
            }
            FallbackReason reason = reasonFor(e, socketPath);
            throw new FallbackException(reason, "calling " + socketPath + " failed: " + e.getMessage());
        } finally {
            if (!isConnected) {
                hangUp(socket);
            }
        }
    }

    /** Takes the reason from the exception's type: its message is the C library's, in the user's language. */
    private static FallbackReason reasonFor(IOException e, Path socketPath) {
        if (e instanceof BindException) {
            return FallbackReason.OTHER_USER; // EACCES
        }
        if (e instanceof ConnectException || Files.notExists(socketPath)) {
            return FallbackReason.STALE_RENDEZVOUS;
        }
        return FallbackReason.BACKLOG_FULL; // EAGAIN
    }

    private void close() {
        hangUp(socket);
        if (map != null) {
            SharedFile.delete(file);
            MemoryCap.giveBack(map.capacity());
            JdkAccess.unmap(map);
        }
    }

    /**
     * Closes the socket and gives the descriptor back; null if there is no socket yet, and only its place was taken.
     */
    private static void hangUp(SocketChannel socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            Log.of(ShmConnecting.class).get().log(System.Logger.Level.DEBUG, "closing a rendezvous socket failed", e);
        }
        LinkShare.giveBack();
    }
}
