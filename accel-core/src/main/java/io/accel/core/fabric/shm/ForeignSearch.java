// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * Asks listeners in other network namespaces for a connection, one after the other, each once. Listeners on the
 * connection's own address come first, then those on all addresses and its port. As the address may be translated on
 * the way, all other listeners follow, once the connection has carried bytes by which they could know it. One thread
 * at a time.
 *
 * <p>A listener that does not have the connection says so at once. If such a listener belongs to another user, or
 * runs another version, that says nothing about this connection, unless the listener is on the very address.
 */
final class ForeignSearch implements Connecting {
    /** At most this many listeners are asked. */
    static final int MOST = 64;

    private final Wanted wanted;
    private final AskedInVain askedInVain;
    private final List<Path> named;
    private final Iterator<Path> candidates;
    /** How many listeners may be asked, and how many were found. */
    private final int most;

    private final int all;
    /** Whether listeners that are not on the very address are asked. */
    private final boolean worthIt;
    /** Whether the connection had carried any bytes when this search began. */
    private final boolean hasBytes;

    private Path at;
    private ShmConnecting current;
    /** The answer of a listener that has the connection, or should have it; null if none has answered so. */
    private FallbackException telling;

    private boolean notYet;

    /**
     * Begins.
     *
     * @param found the listeners there are, at least one
     * @param askedInVain destinations for which only listeners on the very address are worth asking
     */
    ForeignSearch(Wanted wanted, RendezvousPath.Elsewhere found, AskedInVain askedInVain) throws FallbackException {
        this.wanted = wanted;
        this.askedInVain = askedInVain;
        this.named = found.named();
        Beginnings beginnings = wanted.beginnings();
        this.hasBytes = beginnings.sent() + beginnings.received() > 0;
        this.worthIt = askedInVain.isWorthIt(wanted.destination(), System.nanoTime());
        List<Path> order = new ArrayList<>(named);
        if (worthIt) {
            addShuffled(order, found.wildcard());
        }
        if (worthIt && hasBytes) {
            addShuffled(order, found.others());
        }
        this.all = order.size();
        this.most = Math.min(all, MOST);
        this.candidates = order.subList(0, most).iterator();
        askNext();
    }

    /** Adds listeners in random order, so that not always the same are left out if there are too many. */
    private static void addShuffled(List<Path> order, List<Path> more) {
        List<Path> shuffled = new ArrayList<>(more);
        Collections.shuffle(shuffled);
        order.addAll(shuffled);
    }

    private void askNext() throws FallbackException {
        while (candidates.hasNext()) {
            at = candidates.next();
            try {
                current = new ShmConnecting(wanted, at);
                return;
            } catch (FallbackException e) {
                note(e, false);
            }
        }
        throw outcome();
    }

    /** Keeps the answer that says most about the connection. */
    private void note(FallbackException e, boolean known) {
        FallbackReason reason = e.reason();
        if (reason == FallbackReason.NOT_YET) {
            notYet = true;
        } else if (known || (named.contains(at) && !saysNothing(reason))) {
            telling = e;
        }
    }

    /** Whether the listener has died, is just closing, or has not got the connection. */
    private static boolean saysNothing(FallbackReason reason) {
        return reason == FallbackReason.STALE_RENDEZVOUS || reason == FallbackReason.PEER_NOT_ACCELERATED;
    }

    private FallbackException outcome() {
        if (notYet) {
            return new FallbackException(FallbackReason.NOT_YET, null, true);
        }
        if (telling != null) {
            return telling;
        }
        if (worthIt && hasBytes) {
            askedInVain.inVain(wanted.destination(), System.nanoTime());
        }
        String asked = most == all ? "" + all : most + " of " + all;
        return new FallbackException(
                FallbackReason.PEER_NOT_ACCELERATED,
                ShmFabric.noRendezvous(wanted.config(), wanted.destination())
                        + (all == 0
                                ? ""
                                : "; " + asked
                                        + " listeners there that other network namespaces have were asked for it"),
                worthIt);
    }

    @Override
    public SelectableChannel channel() {
        return current.channel();
    }

    @Override
    public long deadline() {
        return current.deadline();
    }

    @Override
    public boolean isPending() {
        return current.isPending();
    }

    @Override
    public InetSocketAddress local() {
        return wanted.local();
    }

    @Override
    public Link advance() throws FallbackException {
        try {
            Link link = current.advance();
            if (link != null) {
                askedInVain.found(wanted.destination());
            }
            return link;
        } catch (FallbackException e) {
            note(e, current.isKnown());
            askNext();
            return null;
        }
    }

    @Override
    public void abort() {
        current.abort();
    }
}
