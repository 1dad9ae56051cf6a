// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Decides which threads may touch the memory of a link. Its last user frees it, so that nobody touches freed memory.
 *
 * <p>A link has four kinds of users, each with a share: its reading half, its writing half, the thread that closes it, and every
 * registration with a poller. Any other thread that looks at the link from elsewhere takes a share for the moment. A share is given back
 * once. Giving back the last share frees the link: in the very call that closes it, unless another user still has a share. A link that both
 * ends {@linkplain LinkRetirement give back} while the connection lives on goes the same way.
 *
 * <p>Any thread. Everything that a user did before it gave its share back happens before the link is freed: {@link UseCount}.
 */
final class LinkLease {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup()
                    .findVarHandle(LinkLease.class, "state", State.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Whether the link may be used, and if not, why. */
    enum State {
        OPEN,
        /** This end has closed the connection. */
        CLOSED,
        /** The connection lives on without the link. */
        RETIRED,
        /** An error of the link has ended the connection here: {@link LinkFailure}. */
        FAILED
    }

    /** A share for a moment. Closing this object gives the share back. */
    final class Share implements AutoCloseable {
        @Override
        public void close() {
            release();
        }
    }

    private final Link link;
    private final ConnectionRecord connection;
    /** One object for all threads, so that taking a share makes none. */
    private final Share share = new Share();
    /** Changes once, from {@link State#OPEN}, by the thread that closes or retires the link; any thread reads it. */
    private volatile State state = State.OPEN;
    /** The shares of the reading half, the writing half and the closer; one for each registration and each holder of the link. */
    private final UseCount users = new UseCount(3);

    LinkLease(Link link, ConnectionRecord connection) {
        this.link = link;
        this.connection = connection;
    }

    /** Whether the link may not be used any more, whatever the reason. */
    boolean isEnded() {
        return state != State.OPEN;
    }

    State state() {
        return state;
    }

    /** Whether an error has ended the link. */
    boolean hasFailed() {
        return state == State.FAILED;
    }

    /**
     * Ends the lease: no thread may use the link from now on, except the threads that are in it already. The caller must give the closer's
     * share back.
     *
     * @param why the new state, not {@link State#OPEN}
     * @return false if the lease had ended before
     */
    boolean end(State why) {
        return (boolean) STATE.compareAndSet(this, State.OPEN, why);
    }

    /** Takes a share for a moment, from any thread; null if the link is freed already, or has failed and must not be touched. */
    Share take() {
        return state != State.FAILED && hold() ? share : null;
    }

    /** Takes a share until {@link #release}, from any thread; false if the link is freed already. */
    boolean hold() {
        return users.join();
    }

    /** Gives out shares; the caller knows that the last one is not yet back. */
    void retain(int count) {
        users.add(count);
    }

    @Override
    public String toString() {
        return state + ", " + users;
    }

    /** Gives back one share. */
    void release() {
        if (users.leave()) {
            try {
                if (state != State.RETIRED) {
                    connection.closed();
                }
            } finally {
                link.free();
            }
        }
    }
}
