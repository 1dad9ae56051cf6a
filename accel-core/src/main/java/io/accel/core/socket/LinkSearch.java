// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.poll.KernelTold;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Iterator;

/** The search for a link, fabric by fabric, on the one thread that polls its poller. An error ends only the search. */
abstract class LinkSearch extends KernelTold {
    private static final Warnings ERRORS = new Warnings(Log.of(LinkSearch.class));

    private final Iterator<Fabric> fabrics;

    /** Run when the search is over; null after that. */
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

    /** The address that the link leads to, for messages. */
    abstract InetSocketAddress target();

    /** Begins with one fabric. */
    abstract Connecting connect(Fabric next) throws IOException;

    /**
     * Takes the link that the search has found.
     *
     * @param link the link, which passes to the callee
     * @param by the fabric's name
     * @param local this end's address, as the peer sees it
     */
    abstract void found(Link link, String by, InetSocketAddress local);

    /**
     * Takes note that there is no link.
     *
     * @param reason the reason of the fabric that has the most to say; null if there is no fabric
     */
    abstract void notFound(FallbackException reason);

    /**
     * Takes note that the handshake goes on.
     *
     * @param pending whether the peer cannot decide yet, or cannot even say that
     * @param heard whether the peer is known to have been asked
     */
    void waiting(boolean pending, boolean heard) {}

    /**
     * Goes as far as it can without waiting; the poller does the rest.
     *
     * @param poller the poller that this thread polls
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
            end(); // the poller has told released() if the search came so far
        }
    }

    /** Ends a search whose beginning has met an error. */
    final void giveUp() {
        try {
            abort();
        } finally {
            end();
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
                // The socket was closed, or cannot be bound; its own operations report that.
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

    /** Whether it may be worth searching again in a moment. Asked of a search that is over. */
    final boolean isPassing() {
        return passing;
    }

    private void failed(FallbackException e) {
        passing |= e.isPassing();
        // A missing device says nothing about the peer, so another fabric's reason is worth more.
        why = why == null || e.reason() != FallbackReason.NO_DEVICE ? e : why;
    }

    /** Gives the search up. */
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
        Connecting from = handshake;
        Link link;
        try {
            link = from.advance();
            if (link == null) {
                waiting();
                registration.refresh(); // the search may ask another fabric by now
                return;
            }
        } catch (FallbackException e) {
            handshake = null;
            failed(e);
            nextOrOver();
            return;
        } catch (Throwable e) {
            // The handshake would be ready again at once, and fail again.
            abort();
            failed(error(e));
            nextOrOver();
            return;
        }
        handshake = null;
        takeOrEnd(link, from);
    }

    /** Takes the link. After an error there is none, and no other fabric is asked: the poller tells this search nothing any more. */
    private void takeOrEnd(Link link, Connecting from) {
        try {
            take(link, from);
        } catch (Throwable e) {
            failed(error(e));
            try {
                notFound(why);
            } finally {
                registration.close();
            }
        }
    }

    private void take(Link link, Connecting from) {
        boolean isPassedOn = false;
        try {
            registration.close();
            InetSocketAddress local = from.local();
            String by = fabric.name();
            isPassedOn = true; // whatever comes of it there
            found(link, by, local);
        } finally {
            if (!isPassedOn) {
                link.free();
            }
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
