// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Asks the listeners that may have a connection, one after the other, until one has it. Where several listeners share
 * a port, a listener that cannot decide yet is left for the next after a moment, and asked again later. One thread at
 * a time.
 */
final class ShmSearch implements Connecting {
    private static final long SHORTEST_WAIT = 5_000_000L;
    private static final long LONGEST_WAIT = 1_000_000_000L;

    private final Wanted wanted;
    private final List<Path> candidates;
    /** The listeners that were undecided, and were left for the next. */
    private final Set<Path> left = new HashSet<>();

    private ShmConnecting current;
    /** The index of the candidate that is asked now. */
    private int at;
    /** How long that candidate may be undecided while there are others. */
    private long wait = SHORTEST_WAIT;

    private long askedAt;
    private boolean pending;

    /**
     * Begins the search.
     *
     * @param found the directories of the listeners, at least one
     */
    ShmSearch(Wanted wanted, List<Path> found) throws FallbackException {
        this.wanted = wanted;
        this.candidates = new ArrayList<>(found);
        ask();
    }

    /** Asks the candidate whose turn it is; a candidate that cannot be asked drops out. */
    private void ask() throws FallbackException {
        FallbackException first = null;
        while (true) {
            at = at >= candidates.size() ? 0 : at;
            Path directory = candidates.get(at);
            try {
                current = new ShmConnecting(wanted, directory);
                askedAt = System.nanoTime();
                return;
            } catch (FallbackException e) {
                // A candidate that has died, or is just closing, says less than another's reason to refuse.
                boolean saysLess = e.reason() == FallbackReason.STALE_RENDEZVOUS
                        || e.reason() == FallbackReason.PEER_NOT_ACCELERATED;
                first = first == null || !saysLess ? e : first;
                candidates.remove(at);
                if (candidates.isEmpty()) {
                    throw first;
                }
            }
        }
    }

    @Override
    public SelectableChannel channel() {
        return current.channel();
    }

    @Override
    public long deadline() {
        return isUndecided() ? askedAt + wait : current.deadline();
    }

    private boolean isUndecided() {
        return current.isPending() && candidates.size() > 1;
    }

    @Override
    public boolean isPending() {
        return pending;
    }

    @Override
    public InetSocketAddress local() {
        return wanted.local();
    }

    @Override
    public Link advance() throws FallbackException {
        try {
            Link link = current.advance();
            pending |= current.isPending();
            if (link == null && isUndecided() && System.nanoTime() - askedAt >= wait) {
                current.abort();
                left.add(candidates.get(at++));
                if (at >= candidates.size()) {
                    wait = Math.min(2 * wait, LONGEST_WAIT);
                }
                ask();
            }
            return link;
        } catch (FallbackException e) {
            if (left.contains(candidates.remove(at)) && isRefusalOfSecond(e)) {
                // This listener has the connection, and the others would be undecided for ever.
                throw new FallbackException(e.reason(), e.getMessage(), true);
            }
            if (candidates.isEmpty()) {
                throw e;
            }
            ask();
            return null;
        }
    }

    /**
     * Whether the refusal came from a listener that had not yet heard that the first client to ask for the connection,
     * which was this one, had gone.
     */
    private static boolean isRefusalOfSecond(FallbackException e) {
        return e.reason() == FallbackReason.BACKLOG_FULL || e.reason() == FallbackReason.BAD_HANDSHAKE;
    }

    @Override
    public void abort() {
        current.abort();
    }
}
