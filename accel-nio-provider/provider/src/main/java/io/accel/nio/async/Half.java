// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.Deque;

/**
 * One direction of a stream: it has at most one operation at a time, which is done at once if possible, and otherwise when the
 * selector reports readiness.
 *
 * <p>The monitor guards the state and the pending operation. The thread that takes the operation delivers its outcome, after it has
 * left the monitor. The initiating thread, or the one that selects, moves bytes under the monitor.
 */
final class Half {
    private enum State {
        OPEN,
        /** The program has shut this direction down. */
        SHUT,
        /** An operation timed out or was cancelled; no further one is possible. */
        GIVEN_UP
    }

    private final Direction direction;
    private final StreamChannel owner;

    private State state = State.OPEN;
    /** Whether a read was told that the peer has reset the connection. The next one meets the end, as in the JDK. */
    private boolean isResetTold;
    /** The pending operation, or null. */
    private Transfer<?> pending;

    Half(Direction direction, StreamChannel owner) {
        this.direction = direction;
        this.owner = owner;
    }

    /**
     * Begins an operation on a channel that is connected.
     *
     * @throws IllegalStateException if no operation is possible any more, or another one is pending
     */
    void begin(Transfer<?> transfer) {
        long n = 0;
        Throwable failure = null;
        synchronized (this) {
            if (state == State.GIVEN_UP) {
                throw direction.givenUp();
            }
            if (pending != null) {
                throw direction.pending();
            }
            try {
                if (state == State.SHUT) {
                    n = end();
                } else if (transfer.hasRemaining() && isResetTold) {
                    n = -1;
                } else if (transfer.hasRemaining()) {
                    transfer.refuseConfined();
                    n = transfer.run(direction, owner.channel());
                    if (n == 0) {
                        await(transfer);
                        return;
                    }
                } else if (transfer.isOfSeveral()) {
                    transfer.refuseConfined();
                    transfer.check();
                }
            } catch (IOException | RuntimeException | Error e) {
                failure = failed(e);
            }
        }
        owner.invoke(transfer.deliver(n, failure));
    }

    /** Returns the result of an operation after a shutdown by the program. */
    private int end() throws ClosedChannelException {
        if (direction == Direction.WRITING) {
            throw new ClosedChannelException();
        }
        return -1;
    }

    private void await(Transfer<?> transfer) throws IOException {
        if (!owner.isOpen()) { // asked under the monitor, so that a later close finds the operation
            throw new AsynchronousCloseException();
        }
        transfer.hold();
        boolean waits = false;
        try {
            transfer.startTimer(() -> timeOut(transfer));
            pending = transfer;
            owner.watch().add(direction.operation());
            waits = true;
        } finally {
            if (!waits) {
                giveBack(transfer);
                pending = null;
            }
        }
    }

    /** Gives back what a pending operation has kept. Under the monitor, or by the thread that has taken the operation. */
    private static void giveBack(Transfer<?> transfer) {
        transfer.stopTimer();
        transfer.release();
    }

    /** Returns the exception that the program gets for a failure, as in the JDK. */
    private Throwable failed(Throwable e) {
        if (!owner.isOpen()) {
            return new AsynchronousCloseException(); // in place of any exception of a channel that is being closed
        }
        if (e instanceof ClosedChannelException && state == State.SHUT) {
            return pending != null ? new IOException("Broken pipe") : e;
        }
        if (e instanceof ClosedChannelException) {
            return new AsynchronousCloseException();
        }
        if (e instanceof SocketException && direction == Direction.READING) {
            isResetTold = true; // the channel throws this at each read, for want of another answer
            return new IOException(e.getMessage(), e);
        }
        return e;
    }

    /** Continues the pending operation as far as possible. Called when the selector reports readiness, and after a shutdown. */
    void proceed(Deque<Runnable> handlers) {
        Transfer<?> transfer;
        long n = 0;
        Throwable failure = null;
        synchronized (this) {
            transfer = pending;
            if (transfer == null) {
                owner.watch().remove(direction.operation());
                return;
            }
            try {
                n = transfer.run(direction, owner.channel());
                if (n == 0) {
                    return;
                }
                if (n < 0 && !owner.isOpen()) {
                    throw new AsynchronousCloseException();
                }
            } catch (IOException | RuntimeException | Error e) {
                failure = failed(e);
            }
            pending = null;
            if (direction == Direction.WRITING) {
                owner.watch().remove(direction.operation()); // there nearly always is room, and no one waits for it
            }
            giveBack(transfer);
        }
        Runnable handler = transfer.deliver(n, failure);
        if (handler != null) {
            handlers.add(handler);
        }
    }

    private void timeOut(Transfer<?> transfer) {
        if (giveUp(transfer.result(), false)) {
            owner.dispatch(transfer.deliver(0, new InterruptedByTimeoutException()));
        }
    }

    /**
     * Ends the given operation if it is pending, and this direction with it.
     *
     * @param cancelled whether the result must learn that the program has cancelled it
     * @return whether it was pending
     */
    synchronized boolean giveUp(Result<?> result, boolean cancelled) {
        if (pending == null || pending.result() != result) {
            return false;
        }
        giveBack(pending);
        pending = null;
        state = State.GIVEN_UP;
        return !cancelled || result.cancelled();
    }

    /** Ends this direction: the state of a connection whose connect was cancelled is unknown. */
    synchronized void giveUp() {
        state = State.GIVEN_UP;
    }

    /** The program has shut this direction down. */
    synchronized void shut() {
        if (state == State.OPEN) {
            state = State.SHUT;
        }
    }

    synchronized boolean isShut() {
        return state == State.SHUT;
    }

    /** Called when the channel is closed. */
    void close() {
        Transfer<?> transfer;
        synchronized (this) {
            transfer = pending;
            pending = null;
        }
        if (transfer != null) {
            giveBack(transfer);
            owner.dispatch(transfer.deliver(0, new AsynchronousCloseException()));
        }
    }
}
