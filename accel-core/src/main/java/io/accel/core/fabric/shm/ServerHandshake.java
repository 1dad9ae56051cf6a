// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.LinkShare;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The listener's side of one client's handshake: hello in, go out, file in, answer out, and then the client's word
 * that it has the link. The rendezvous thread owns it. A client that says nothing, half of it or nonsense costs its
 * own link and no other's.
 *
 * <p>Once the answer is out, nothing but the client's end takes the link back: it may be using it already.
 */
final class ServerHandshake {
    private static final Warnings ERRORS = new Warnings(Log.of(ServerHandshake.class));

    /** How often hearing whether a client has its link may meet an error before the link is taken back. */
    private static final int MOST_STRIKES = 8;
    /** The time until it is heard again, after the first error. It doubles with each. */
    private static final long STRIKE_NANOS = 5_000_000;

    private enum State {
        HEAD,
        BODY,
        /** The client, whose connection has no addresses, must tell how much that has carried. */
        COUNTS,
        /** The client, from another namespace, must tell what the connection has carried. */
        SUMS,
        /** The program has not accepted the connection. */
        PENDING,
        FILE,
        /** The link is the acceptor's; whether the client has it is not known. */
        CONFIRM,
        DONE
    }

    private final RendezvousListener listener;
    private final SocketChannel socket;
    private final Acceptor acceptor;
    private final long patience;
    private final ByteBuffer in = ByteBuffer.allocate(Hello.MAX);

    private State state = State.HEAD;
    private Hello hello;
    /** This end's address of the connection; the client may know another. */
    private InetSocketAddress local;
    /** The bytes to compare with a client's from another namespace; null for a client from the same. */
    private Beginnings beginnings;
    /** The connections among which the client's is looked for; null if it has addresses. */
    private Acceptor.Lineup lineup;
    /** How many of the bytes that the client has sent, and has received, are compared. */
    private int forth;

    private int back;
    private ShmLink link;
    /** Whether the acceptor was asked, and did not refuse. */
    private boolean asked;
    /** Whether this handshake holds a descriptor of {@link LinkShare}, for a link that does not exist yet. */
    private boolean hasDescriptor;

    /** The bytes taken of {@link MemoryCap}, for that link. */
    private long taken;

    private long deadline;

    /** How often hearing the client's word has met an error, one time after the other. */
    private int strikes;

    ServerHandshake(RendezvousListener listener, SocketChannel socket, Acceptor acceptor, long patience) {
        this.listener = listener;
        this.socket = socket;
        this.acceptor = acceptor;
        this.patience = patience;
        this.deadline = System.nanoTime() + patience;
        in.limit(Hello.HEAD);
    }

    /**
     * Whether the client's time runs: only the program lets a client wait, and a client that has the link has no
     * limit, unless hearing it has met an error.
     */
    boolean isTimed() {
        return state != State.PENDING && (!isGiven() || isDeaf());
    }

    /** Whether hearing the client's word has met an error, so that it is heard again only at the {@linkplain #deadline deadline}. */
    boolean isDeaf() {
        return state == State.CONFIRM && strikes > 0;
    }

    /** When the client's time is up, or it is heard again, if its time {@linkplain #isTimed runs}. */
    long deadline() {
        return deadline;
    }

    RendezvousListener listener() {
        return listener;
    }

    /** Reads what has come. Returns false when the handshake is over, whatever its outcome. */
    boolean advance() {
        try {
            while (!isGiven()) {
                int n = socket.read(in);
                if (n < 0) {
                    throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the client hung up");
                }
                if (in.hasRemaining()) {
                    return true;
                }
                step();
            }
            if (state == State.CONFIRM && isSettled()) {
                state = State.DONE;
            }
            return state != State.DONE;
        } catch (FallbackException e) {
            refuse(e);
        } catch (IOException e) {
            refuse(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
        } catch (LinkageError e) {
            ERRORS.warn("a class is missing for a client's handshake; see the modules that Accel needs", e);
            refuse(new FallbackException(FallbackReason.NO_MODULE, e.toString()));
        } catch (Throwable e) {
            // An error that one client causes ends its handshake, and nothing else.
            ERRORS.warn("a client's handshake met an error and was ended", e);
            refuse(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
        }
        return false;
    }

    /**
     * After an error of this end, the link stays where it is, and the client's word is heard later: the client may be
     * using the link. That does not wait for another ring, since the ring may be taken. An error that does not end takes
     * the link back, which the client notices.
     */
    private boolean isSettled() {
        try {
            boolean settled = acceptor.isSettled(link);
            strikes = 0;
            return settled;
        } catch (RuntimeException | Error e) {
            if (++strikes == MOST_STRIKES) {
                throw e;
            }
            deadline = System.nanoTime() + (STRIKE_NANOS << (strikes - 1));
            ERRORS.warn("hearing whether a client has its link met an error, and is tried again", e);
            return false;
        }
    }

    private void step() throws IOException {
        switch (state) {
            case HEAD -> {
                checkUser();
                in.limit(Hello.HEAD + Hello.checkHead(in));
                state = State.BODY;
            }
            case BODY -> {
                in.flip().position(Hello.HEAD);
                hello = Hello.decode(in);
                if (hello.namespace().equals(listener.namespace().name())) {
                    local = hello.destination();
                    lineup = acceptor.lineup(local, hello.source());
                    if (lineup != null) {
                        in.clear().limit(Hello.COUNTS);
                        state = State.COUNTS;
                        socket.write(Hello.answer(Hello.COUNT));
                        return;
                    }
                    in.clear().limit(1);
                    state = State.PENDING;
                    if (!reserve()) {
                        socket.write(Hello.answer(Hello.PENDING));
                    }
                } else {
                    challenge();
                }
            }
            case COUNTS -> {
                lineup.name(in.getLong(0), in.getLong(Long.BYTES), in.getLong(2 * Long.BYTES));
                challenge();
            }
            case SUMS -> {
                compare(in.getInt(0), in.getInt(Integer.BYTES));
                in.clear().limit(1);
                state = State.PENDING;
                if (!reserve()) {
                    throw new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, "the connection has just closed");
                }
            }
            case FILE -> {
                if (in.get(0) != Hello.MADE) {
                    throw new FallbackException(
                            FallbackReason.BAD_HANDSHAKE, "the client did not say that it made a file");
                }
                open();
            }
            default -> throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the client spoke out of turn");
        }
    }

    /**
     * Asks the client for sums: the addresses may be those of another connection, to a proxy, or in a network with the
     * same addresses.
     */
    private void challenge() throws IOException {
        Acceptor.Known known = acceptor.known(hello.destination(), hello.source());
        if (known == null) {
            throw new FallbackException(
                    listener.isFor(hello.destination()) ? FallbackReason.NOT_YET : FallbackReason.PEER_NOT_ACCELERATED,
                    "the client, in another network namespace, asks for a connection from " + hello.source() + " to "
                            + hello.destination() + ", which is not known here");
        }
        local = known.local();
        beginnings = known.beginnings();
        back = Beginnings.common(beginnings.sent(), hello.received());
        forth = Beginnings.common(beginnings.received(), hello.sent());
        if (forth + back == 0) {
            throw new FallbackException(
                    FallbackReason.NOT_YET, "nothing has gone by the connection that both ends know");
        }
        in.clear().limit(Hello.SUMS);
        state = State.SUMS;
        socket.write(Hello.answer(Hello.challenge(forth, back)));
    }

    private void compare(int ofSent, int ofReceived) throws FallbackException {
        if (ofSent != beginnings.sumOfReceived(forth) || ofReceived != beginnings.sumOfSent(back)) {
            throw new FallbackException(
                    FallbackReason.PROXIED,
                    "the connection from " + hello.source() + " to " + local
                            + " has brought and taken other bytes than the client's, of which " + forth + " and "
                            + back + " were compared");
        }
    }

    private boolean reserve() throws IOException {
        boolean reserved = acceptor.reserve(local, hello.source(), () -> listener.retry(this));
        asked = true;
        if (reserved) {
            int asked = hello.ringSize();
            hello = hello.withRings(acceptor.ringSize(asked));
            long size = ShmLayout.fileSize(hello.ringSize());
            LinkShare.take();
            hasDescriptor = true;
            MemoryCap.take(size, listener.config().most());
            taken = size;
            deadline = System.nanoTime() + patience;
            state = State.FILE;
            socket.write(Hello.answer(hello.ringSize() == asked ? Hello.GO : Hello.go(hello.ringSize())));
        }
        return reserved;
    }

    /** Asks again, as the program may have accepted the connection. Returns as {@link #advance}. */
    boolean retry() {
        if (state != State.PENDING) {
            return state != State.DONE;
        }
        asked = false; // the last asking is over
        try {
            boolean unused = reserve();
            return true;
        } catch (FallbackException e) {
            refuse(e);
        } catch (IOException e) {
            refuse(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
        } catch (Throwable e) {
            ERRORS.warn("a client's handshake met an error and was ended", e);
            refuse(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
        }
        return false;
    }

    private void open() throws IOException {
        MappedByteBuffer map = SharedFile.open(listener.directory().resolve(hello.file()), hello);
        try {
            link = new ShmLink(map, hello.ringSize(), false, socket);
        } finally {
            if (link == null) {
                JdkAccess.unmap(map);
            }
        }
        taken = 0; // the link's end gives it back
        hasDescriptor = false;
        link.arm(Link.DATA); // so that the client's word rings
        state = State.CONFIRM; // the link is the acceptor's, and may be freed at any time
        if (!acceptor.offered(link, local, hello.source())) {
            state = State.DONE;
            tellTooLate();
            link.free();
            return;
        }
        try {
            socket.write(Hello.answer(Hello.DONE));
        } catch (IOException e) {
            listener.log("a client hung up during its handshake: {0}", e);
            takeBack();
        }
    }

    /** The connection has just ended, or is about to: without an answer, the client would take this end for broken. */
    private void tellTooLate() {
        try {
            socket.write(Hello.answer(FallbackReason.NOT_YET.code()));
        } catch (IOException e) {
            listener.log("a client that was too late is gone already: {0}", e);
        }
    }

    private void checkUser() throws IOException {
        if (!listener.config().group().isEmpty()) {
            return; // the directory lets nobody else in
        }
        if (!Ownership.isPeerOwn(socket)) {
            throw new FallbackException(
                    FallbackReason.OTHER_USER,
                    "the client runs as " + Ownership.peer(socket) + ", this process as user " + Ownership.self());
        }
    }

    /** Ends the handshake because its time is up, or hears the client again after an error. Returns as {@link #advance}. */
    boolean expire() {
        if (isDeaf()) {
            return advance();
        }
        refuse(new FallbackException(FallbackReason.TIMEOUT, "the client did not finish its hello in time"));
        return false;
    }

    /** Ends the handshake because its listener closes. */
    void abandon() {
        refuse(new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, "the listener has closed"));
    }

    /** Whether the link was given away, so that only the client can end the handshake. */
    boolean isOffered() {
        return state == State.CONFIRM;
    }

    private boolean isGiven() {
        return state == State.CONFIRM || state == State.DONE;
    }

    private void refuse(FallbackException e) {
        if (isGiven()) {
            takeBack();
            return;
        }
        state = State.DONE;
        listener.log(
                "refused a client of {0}: {1} ({2})", UnixDomainSocketAddress.of(listener.directory()), e.reason(), e);
        try {
            socket.write(Hello.answer(e.reason().code()));
        } catch (IOException ignored) {
            listener.log("the refused client is gone already: {0}", ignored);
        }
        close();
    }

    /** The client has not heard of the link, or has met an error: the acceptor, which has the link, frees it. */
    private void takeBack() {
        if (state == State.CONFIRM) {
            state = State.DONE;
            acceptor.withdrawn(link);
        }
    }

    private void close() {
        try {
            socket.close();
        } catch (IOException e) {
            listener.log("closing a rendezvous socket failed: {0}", e);
        }
        MemoryCap.giveBack(taken);
        taken = 0;
        if (hasDescriptor) {
            hasDescriptor = false;
            LinkShare.giveBack();
        }
        if (asked) {
            try {
                acceptor.unreserve(local, hello.source());
            } finally {
                SharedFile.delete(listener.directory().resolve(hello.file()));
            }
        }
    }
}
