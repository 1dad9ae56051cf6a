package io.accel.core.fabric.shm;

import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * The listener's side of one client's handshake: hello in, answer out, confirmation in. Owned by the rendezvous thread; a
 * client that says nothing, half of it or nonsense costs its own connection and nobody else's.
 */
final class ServerHandshake {
    private static final Warnings ERRORS = new Warnings(System.getLogger(ServerHandshake.class.getName()));

    private enum State {
        HEAD,
        BODY,
        CONFIRM,
        /** Socket, memory and the place in the queue are the acceptor's. */
        ACCEPTED,
        REFUSED
    }

    private final RendezvousListener listener;
    private final SocketChannel socket;
    private final Acceptor acceptor;
    private final long deadline;
    private final ByteBuffer in = ByteBuffer.allocate(Hello.MAX);

    private State state = State.HEAD;
    private Hello hello;
    private MappedByteBuffer map;
    private boolean reserved;

    ServerHandshake(RendezvousListener listener, SocketChannel socket, Acceptor acceptor, long deadline) {
        this.listener = listener;
        this.socket = socket;
        this.acceptor = acceptor;
        this.deadline = deadline;
        in.limit(Hello.HEAD);
    }

    long deadline() {
        return deadline;
    }

    RendezvousListener listener() {
        return listener;
    }

    /** Reads what has come. Returns false when the handshake is over, whatever its outcome. */
    boolean advance(SelectionKey key) {
        try {
            while (!isOver()) {
                int n = socket.read(in);
                if (n < 0) {
                    throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the client hung up");
                }
                if (in.hasRemaining()) {
                    return true;
                }
                step(key);
            }
        } catch (FallbackException e) {
            refuse(e);
        } catch (IOException e) {
            refuse(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
        } catch (LinkageError e) {
            ERRORS.warn("a class is missing for a client's handshake; see the modules that Accel needs", e);
            refuse(new FallbackException(FallbackReason.NO_MODULE, e.toString()));
        } catch (Throwable e) {
            // Whatever one client brings about is the end of its handshake, and of nothing else.
            ERRORS.warn("a client's handshake met an error and was ended", e);
            refuse(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
        }
        return false;
    }

    private void step(SelectionKey key) throws IOException {
        switch (state) {
            case HEAD -> {
                checkUser();
                in.limit(Hello.HEAD + Hello.checkHead(in));
                state = State.BODY;
            }
            case BODY -> {
                in.flip().position(Hello.HEAD);
                hello = Hello.decode(in);
                if (!acceptor.reserve()) {
                    throw new FallbackException(FallbackReason.BACKLOG_FULL, null);
                }
                reserved = true;
                map = SharedFile.open(listener.directory().resolve(hello.file()), hello);
                socket.write(Hello.answer(0));
                in.clear().limit(1);
                state = State.CONFIRM;
            }
            case CONFIRM -> {
                if (in.get(0) != Hello.CONFIRM) {
                    throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the client sent no confirmation");
                }
                key.cancel();
                ShmLink link = new ShmLink(map, hello.ringSize(), false, socket);
                state = State.ACCEPTED;
                acceptor.accept(link, hello.destination(), hello.source());
            }
            default -> throw new IllegalStateException(String.valueOf(state));
        }
    }

    private void checkUser() throws IOException {
        if (!listener.config().group().isEmpty()) {
            return; // the directory lets in nobody else
        }
        UnixDomainPrincipal peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED);
        UserPrincipal self = RendezvousDirectory.self();
        if (!peer.user().equals(self)) {
            throw new FallbackException(
                    FallbackReason.OTHER_USER, "the client runs as " + peer.user() + ", this process as " + self);
        }
    }

    /**
     * Ends the handshake because its time is up or its listener closes; unless the client's last word is there already: then
     * the client takes the connection for established, and it is.
     */
    void expire(SelectionKey key) {
        if (!isOver() && advance(key)) {
            refuse(new FallbackException(FallbackReason.TIMEOUT, "the client did not finish its hello in time"));
        }
    }

    private boolean isOver() {
        return state == State.ACCEPTED || state == State.REFUSED;
    }

    private void refuse(FallbackException e) {
        if (isOver()) {
            return;
        }
        state = State.REFUSED;
        listener.log(
                "refused a client of {0}: {1} ({2})", UnixDomainSocketAddress.of(listener.directory()), e.reason(), e);
        try {
            socket.write(Hello.answer(e.reason().code()));
        } catch (IOException ignored) {
            listener.log("the refused client is gone already: {0}", ignored);
        }
        close();
    }

    private void close() {
        try {
            socket.close();
        } catch (IOException e) {
            listener.log("closing a rendezvous socket failed: {0}", e);
        }
        if (reserved) {
            acceptor.unreserve();
        }
        if (map != null) {
            JdkAccess.unmap(map);
        } else if (hello != null) {
            SharedFile.delete(listener.directory().resolve(hello.file()));
        } else {
            // It may have made a file, the name of which it did not come to say.
            listener.orphans().suspect();
        }
    }
}
