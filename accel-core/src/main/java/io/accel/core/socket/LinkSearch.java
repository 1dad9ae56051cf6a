package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.poll.KernelTold;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Iterator;

/**
 * The search for a link, fabric by fabric, on the one thread that polls its poller. An error ends the search, and nothing
 * else.
 */
abstract class LinkSearch extends KernelTold {
    private static final Warnings ERRORS = new Warnings(Log.of(LinkSearch.class));

    private final Iterator<Fabric> fabrics;

    /** To be told that the search is over; null once it was. */
    private Runnable over;

    private Registration registration;
    /** Null when the search is over. */
    private Connecting handshake;

    private Fabric fabric;
    private FallbackException why;
    /** Whether a fabric may soon have another answer. */
    private boolean passing;

    /**
     * A search.
     *
     * @param fabrics where to look, in this order
     */
    LinkSearch(Iterator<Fabric> fabrics) {
        this.fabrics = fabrics;
    }

    /** Where the link is to lead, for messages. */
    abstract InetSocketAddress target();

    /** Begins with one fabric. */
    abstract Connecting connect(Fabric next) throws IOException;

    /**
     * The search has found it.
     *
     * @param link the link, which is the callee's
     * @param by the fabric's name
     * @param local this end, as the peer sees it
     */
    abstract void found(Link link, String by, InetSocketAddress local);

    /**
     * There is none.
     *
     * @param reason of the fabric that has the most to say; null if there is no fabric
     */
    abstract void notFound(FallbackException reason);

    /**
     * The handshake goes on.
     *
     * @param pending whether the peer cannot decide yet, or cannot say so much
     * @param heard whether it is known to have been asked
     */
    void waiting(boolean pending, boolean heard) {}

    /**
     * Goes as far as it can without waiting; what is left is the poller's.
     *
     * @param poller whose thread this is
     * @param whenOver run when the search is over, whatever it found
     */
    final void begin(Poller poller, Runnable whenOver) {
        over = whenOver;
        if (!tryNext()) {
            end();
            return;
        }
        try {
            registration = poller.register(this, SelectionKey.OP_READ, this);
        } catch (Throwable e) {
            abort();
            failed(error(e));
            notFound(why);
            end(); // which the poller has told released(), if it came so far
        }
    }

    private void end() {
        Runnable told = over;
        over = null;
        if (told != null) {
            told.run();
        }
    }

    private void abort() {
        Connecting given = handshake;
        handshake = null;
        if (given != null) {
            given.abort();
        }
    }

    private boolean tryNext() {
        while (fabrics.hasNext()) {
            Fabric next = fabrics.next();
            try {
                handshake = connect(next);
                fabric = next;
                waiting();
                return true;
            } catch (FallbackException e) {
                failed(e);
            } catch (IOException e) {
                // The socket was closed, or cannot be bound; its own operations say so.
                failed(new FallbackException(FallbackReason.NO_RESOURCES, e.toString()));
            } catch (Throwable e) {
                abort();
                failed(error(e));
            }
        }
        notFound(why);
        return false;
    }

    private void waiting() {
        boolean pending = handshake.isPending();
        waiting(pending, pending && fabric.saysPending());
    }

    /** Whether it may be worth searching again in a moment. Of a search that is over. */
    final boolean isPassing() {
        return passing;
    }

    private void failed(FallbackException e) {
        passing |= e.isPassing();
        // That there is no device says nothing of the peer, if another fabric could say more.
        why = why == null || e.reason() != FallbackReason.NO_DEVICE ? e : why;
    }

    /** Gives up. */
    final void abandon() {
        if (handshake != null) {
            abort();
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
                waiting();
                registration.refresh(); // it may ask another by now
                return;
            }
            InetSocketAddress local = handshake.local();
            handshake = null;
            registration.close();
            found(link, fabric.name(), local);
        } catch (FallbackException e) {
            handshake = null;
            failed(e);
            nextOrOver();
        } catch (Throwable e) {
            // It would be ready again at once, and fail again.
            abort();
            failed(error(e));
            nextOrOver();
        }
    }

    private void nextOrOver() {
        if (tryNext()) {
            registration.refresh();
        } else {
            registration.close();
        }
    }

    private FallbackException error(Throwable e) {
        ERRORS.warn("looking for a faster path to " + target() + " met an error and was ended", e);
        return new FallbackException(FallbackReason.NO_RESOURCES, e.toString());
    }

    @Override
    public final SelectableChannel watched() {
        return handshake == null ? null : handshake.channel();
    }

    @Override
    public final int watchedOps(int interest) {
        return interest;
    }

    @Override
    public final int kernelReady(int interest, int watchedReady) {
        advance();
        return 0;
    }

    @Override
    public final long deadline() {
        return handshake == null ? Long.MAX_VALUE : handshake.deadline();
    }

    @Override
    public final boolean retained(Registration with) {
        return true;
    }

    @Override
    public final void released(Registration ended) {
        end();
    }
}
