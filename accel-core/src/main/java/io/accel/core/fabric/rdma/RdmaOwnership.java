// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.Ownership;
import io.accel.core.fabric.OwnershipSecrets;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The {@link Ownership} of a link between two stream sockets. Any user of a host may listen by the connection manager, on any port number from
 * 1024 on, and may connect and name any connection. Until the peer is proved, this hides what the peer says over the link.
 */
final class RdmaOwnership implements Ownership {
    private static final Warnings FALSE_ONES = new Warnings(Log.of(RdmaOwnership.class));

    /**
     * The states that are shown of a peer that is not proved. They are needed to make the link, and to give it back; a peer that lies with
     * them loses its link.
     */
    private static final int HARMLESS = Link.ATTACHED | Link.BROKEN | Link.RETIRING | Link.RETIRED | Link.LARGER;
    /** The states of a client that has given up before it had the link. */
    private static final int GIVEN_UP = Link.RST | Link.CLOSED;

    private final OwnershipSecrets secrets;
    private final boolean isClient;
    private final boolean leads;

    /** Written once, by {@link #connect}, before others see this. */
    private ReentrantLock lock;

    // Set by connect, and null from the link's end on. Under the lock.
    private LinkQueues queues;
    private Outbound out;
    private OwnershipCell peers;
    private Object link;

    /** The last place that the peer had told before the link's end. Under the lock. */
    private long lastPlace = NOWHERE;

    /** Written under the lock; any thread reads it. */
    private volatile boolean proved;
    /** Whether the peer has returned another secret. Under the lock. */
    private boolean isFalse;

    /**
     * The ownership of one end.
     *
     * @param key the random numbers of both ends
     * @param isClient whether this end has connected
     * @param leads whether this end may send its record first
     */
    RdmaOwnership(byte[] key, boolean isClient, boolean leads) {
        this.secrets = new OwnershipSecrets(key, isClient);
        this.isClient = isClient;
        this.leads = leads;
    }

    /**
     * Connects it with its link.
     *
     * @param name the link's name in the log
     */
    void connect(ReentrantLock linkLock, LinkQueues linkQueues, Outbound linkOut, ByteBuffer inbound, Object name) {
        link = name;
        lock = linkLock;
        queues = linkQueues;
        out = linkOut;
        peers = new OwnershipCell(inbound);
    }

    /** What is shown of states that the peer has said. */
    int shown(int states) {
        if (states == 0 || isProved()) {
            return states;
        }
        boolean mayGiveUp = !isClient && (states & Link.ATTACHED) == 0;
        return states & (mayGiveUp ? HARMLESS | GIVEN_UP : HARMLESS);
    }

    @Override
    public boolean isProved() {
        return proved || isReturned();
    }

    private boolean isReturned() {
        lock.lock();
        try {
            if (hasMemory() && !proved && !isFalse) {
                peers.read();
                if (peers.hasSecret()) {
                    check(peers.secret());
                }
            }
            return proved;
        } finally {
            lock.unlock();
        }
    }

    private void check(byte[] returned) {
        proved = secrets.isReturned(returned);
        isFalse = !proved;
        if (isFalse) {
            FALSE_ONES.warn(
                    "the peer of " + link + " has not received what was sent over the connection, so it is not the"
                            + " connection's other end: the link is dropped; find out who uses rdma_cm there",
                    null);
            queues.breakDown();
        }
    }

    /** The link is over, and is not used any more. What the peer has told last counts on. Under the lock. */
    void end() {
        lastPlace = hasMemory() ? placeNow() : lastPlace;
        queues = null; // a connection without a link keeps nothing of one
        out = null;
        peers = null;
        link = null;
    }

    private long placeNow() {
        peers.read();
        return peers.place();
    }

    private boolean hasMemory() {
        return queues != null && !queues.state().isPast(LinkState.DRAINED);
    }

    @Override
    public boolean mayLead() {
        return leads;
    }

    @Override
    public ByteBuffer record() {
        return secrets.record();
    }

    @Override
    public void place(long at) {
        lock.lock();
        try {
            if (hasMemory()) {
                out.place(at);
                queues.flushAndPoll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isPlaced() {
        lock.lock();
        try {
            if (!hasMemory()) {
                return false;
            }
            queues.poll();
            return out.isPlaced();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long peersPlace() {
        lock.lock();
        try {
            lastPlace = hasMemory() ? placeNow() : lastPlace;
            return lastPlace;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean mayBePeers(ByteBuffer bytes) {
        return secrets.mayBePeers(bytes);
    }

    @Override
    public void found(ByteBuffer record) {
        byte[] secret = OwnershipSecrets.secretIn(record);
        lock.lock();
        try {
            proved = true;
            if (hasMemory()) {
                out.returnSecret(secret);
                queues.flushAndPoll();
            }
        } finally {
            lock.unlock();
        }
    }
}
