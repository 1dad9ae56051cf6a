package io.accel.core.socket;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Iterator;

/** The search for a link for one connection, fabric by fabric. {@link StreamUpgrades}' thread only. */
final class StreamUpgrade implements Pollable {
    private final StreamSocket socket;
    private final Iterator<Fabric> fabrics;
    private final Runnable over;

    private InetSocketAddress local;
    private InetSocketAddress remote;
    private Registration registration;
    /** Null when the search is over. */
    private Connecting handshake;

    private String fabric;
    private FallbackException why;

    /**
     * A search.
     *
     * @param whenOver run when it is over, found or not
     */
    StreamUpgrade(StreamSocket socket, Runnable whenOver) {
        this.socket = socket;
        this.fabrics = socket.fabrics().iterator();
        this.over = whenOver;
    }

    /** Goes as far as it can without waiting; what is left is the poller's. */
    void begin(Poller poller) {
        local = socket.anchor().local();
        remote = socket.anchor().remote();
        if (socket.isClosed() || local == null || remote == null || local.equals(remote) || !tryNext()) {
            over.run(); // closed meanwhile, or connected to itself, or there is no way
            return;
        }
        try {
            registration = poller.register(this, SelectionKey.OP_READ, this);
        } catch (IOException e) {
            handshake.abort();
            handshake = null;
            failed(new FallbackException(FallbackReason.NO_RESOURCES, e.getMessage()));
            socket.notUpgraded(why);
            over.run();
        }
    }

    private boolean tryNext() {
        while (fabrics.hasNext()) {
            Fabric next = fabrics.next();
            try {
                handshake = next.connect(remote, address -> local);
                fabric = next.name();
                socket.upgradePending(handshake.isPending());
                return true;
            } catch (FallbackException e) {
                failed(e);
            } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
                failed(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
            }
        }
        socket.notUpgraded(why);
        return false;
    }

    private void failed(FallbackException e) {
        // That there is no device says nothing of the peer, if another fabric could say more.
        why = why == null || e.reason() != FallbackReason.NO_DEVICE ? e : why;
    }

    /** Gives up if the connection has closed. */
    void check() {
        if (handshake != null && socket.isClosed()) {
            handshake.abort();
            handshake = null;
            registration.close();
        }
    }

    private void advance() {
        if (handshake == null) {
            return;
        }
        try {
            Link link = handshake.advance();
            if (link == null) {
                socket.upgradePending(handshake.isPending());
                registration.refresh(); // it may ask another by now
                return;
            }
            handshake = null;
            registration.close();
            if (!socket.attach(link, fabric)) {
                link.signal(Link.RST | Link.CLOSED);
                link.free();
            }
        } catch (FallbackException e) {
            handshake = null;
            failed(e);
            if (tryNext()) {
                registration.refresh();
            } else {
                registration.close();
            }
        }
    }

    @Override
    public SelectableChannel watched() {
        return handshake == null ? null : handshake.channel();
    }

    @Override
    public int watchedOps(int interest) {
        return interest;
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public int look(int interest) {
        return 0;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        advance();
        return 0;
    }

    @Override
    public void arm(int interest) {
        // The kernel needs no asking.
    }

    @Override
    public long deadline() {
        return handshake == null ? Long.MAX_VALUE : handshake.deadline();
    }

    @Override
    public boolean retained(Registration with) {
        return true;
    }

    @Override
    public void released(Registration ended) {
        over.run();
    }
}
