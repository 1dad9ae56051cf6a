// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One half of a link, with room for one thread at a time, and the half's share in the {@link LinkLease}. A reader or writer touches the
 * link only while it is in its half and has found the lease open there.
 *
 * <p>Leaving a half and closing are a Dekker handshake: the holder unlocks and looks whether the lease has ended; the closer ends it and
 * tries the lock. Both are volatile accesses. So the thread that gets the lock after the close gives the share back: the closer if the lock
 * is free, otherwise the holder when it leaves.
 */
abstract sealed class LinkHalf permits LinkReader, LinkWriter {
    final LinkStream stream;
    final Link link;
    final LinkLease lease;
    final StreamSocket socket;
    final ConnectionRecord connection;

    private final ReentrantLock lock = new ReentrantLock();
    /** Whether the share was given back. Guarded by the lock. */
    private boolean givenBack;

    LinkHalf(LinkStream stream, ConnectionRecord connection) {
        this.stream = stream;
        this.link = stream.link();
        this.lease = stream.lease();
        this.socket = stream.socket();
        this.connection = connection;
    }

    /** Enters this half. */
    public final void lock() {
        lock.lock();
    }

    /** Enters this half if no thread is in it. */
    final boolean tryLock() {
        return lock.tryLock();
    }

    /**
     * Enters this half within a time limit, whether the thread is interrupted or not.
     *
     * @param nanos how long to try
     * @return whether the caller is in it
     */
    public final boolean tryLock(long nanos) {
        return Locks.tryLock(lock, nanos);
    }

    /** Leaves this half, as a thread that leaves nothing behind for the peer. */
    final void release() {
        lock.unlock();
        if (lease.isEnded()) {
            giveBack();
        }
    }

    /** Gives the share back after the lease has ended. A thread that is in this half does that when it leaves. Any thread. */
    final void giveBack() {
        if (!lock.isHeldByCurrentThread() && lock.tryLock()) {
            boolean first = !givenBack;
            givenBack = true;
            lock.unlock();
            if (first) {
                lease.release();
            }
        }
    }

    /** The result of an operation that comes after the lease has ended. */
    final int movedOrClosed() throws IOException {
        LinkLease.State why = lease.state();
        if (why == LinkLease.State.RETIRED) {
            return LinkStream.MOVED;
        }
        if (why == LinkLease.State.FAILED && !socket.isClosed()) {
            throw stream.failure().exception();
        }
        throw new AsynchronousCloseException();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + lock;
    }

    /** Counts the reset that an operation has met. In this half only. */
    final IOException failed(IOException e) {
        if (e instanceof CorruptLinkException || (!lease.hasFailed() && (link.peerState() & Link.RST) != 0)) {
            connection.wasReset(e.getMessage());
        }
        return e;
    }
}
