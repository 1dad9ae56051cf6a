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
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Iterator;

/** A search for a faster path from a datagram socket to one destination. {@link DatagramPaths}' thread only. */
final class DatagramSearch implements Pollable {
    private final DatagramSocket socket;
    private final DatagramPath path;
    private final Iterator<Fabric> fabrics;
    private Runnable over;

    private Registration registration;
    /** Null when the search is over. */
    private Connecting handshake;

    private String fabric;
    private FallbackException why;

    DatagramSearch(DatagramSocket socket, DatagramPath path) {
        this.socket = socket;
        this.path = path;
        this.fabrics = socket.candidates(path.target()).iterator();
    }

    /**
     * Goes as far as it can without waiting; what is left is the poller's.
     *
     * @param whenOver run when the search is over
     */
    void begin(Poller poller, Runnable whenOver) {
        over = whenOver;
        if (!tryNext()) {
            over.run();
            return;
        }
        try {
            registration = poller.register(this, SelectionKey.OP_READ, this);
        } catch (IOException e) {
            // The poller has told released().
            handshake.abort();
            handshake = null;
            failed(new FallbackException(FallbackReason.NO_RESOURCES, e.getMessage()));
            socket.notFound(path, why);
        }
    }

    private boolean tryNext() {
        while (fabrics.hasNext()) {
            Fabric next = fabrics.next();
            try {
                handshake = next.connect(path.target(), socket::localFor);
                fabric = next.name();
                return true;
            } catch (FallbackException e) {
                failed(e);
            } catch (IOException e) {
                // The socket was closed, or cannot be bound; its own operations say so.
                failed(new FallbackException(FallbackReason.NO_RESOURCES, e.getMessage()));
            }
        }
        socket.notFound(path, why);
        return false;
    }

    private void failed(FallbackException e) {
        // That there is no device says nothing of the peer, if another fabric could say more.
        why = why == null || e.reason() != FallbackReason.NO_DEVICE ? e : why;
    }

    private void advance() {
        if (handshake == null) {
            return;
        }
        try {
            Link link = handshake.advance();
            if (link == null) {
                return;
            }
            Connecting done = handshake;
            handshake = null;
            link.signal(Link.ATTACHED);
            socket.found(path, link, fabric, done.local());
            registration.close();
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
