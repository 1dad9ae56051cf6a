// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.io.IOException;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;

/**
 * The receiver of the outcome of one operation. The outcome goes to the program's handler or, if there is none, into this future.
 *
 * <p>The outcome is given once, by the thread that has taken the operation from its channel. The program may cancel at any time; the
 * channel decides whether that is in time.
 */
final class Result<V> extends CompletableFuture<V> {
    /** The channel's side of a cancellation. */
    interface Cancellation {
        /**
         * Gives the operation up.
         *
         * @param result the operation's result, to be {@linkplain Result#cancelled told} of the cancellation
         * @param close whether to close the channel
         * @return false if the operation is over already
         */
        boolean cancel(Result<?> result, boolean close);
    }

    private final CompletionHandler<V, Object> handler;
    private final Object attachment;
    private final Cancellation cancellation;

    private Result(CompletionHandler<V, Object> handler, Object attachment, Cancellation cancellation) {
        this.handler = handler;
        this.attachment = attachment;
        this.cancellation = cancellation;
    }

    /** Makes the result of an operation whose future the program gets. */
    static <V> Result<V> future(Cancellation cancellation) {
        return new Result<>(null, null, cancellation);
    }

    /** Makes the result of an operation with a handler. */
    @SuppressWarnings("unchecked") // the attachment is of the type that the handler takes, and goes nowhere else
    static <V, A> Result<V> to(CompletionHandler<V, ? super A> handler, A attachment) {
        if (handler == null) {
            throw new NullPointerException("'handler' is null");
        }
        return new Result<>((CompletionHandler<V, Object>) handler, attachment, null);
    }

    /**
     * Takes the outcome.
     *
     * @param value the operation's value, if it has not failed
     * @param failure the reason why it has failed, or null
     * @return the call of the handler, to be made on one of the group's threads; null for a future, which has its outcome now
     */
    Runnable deliver(V value, Throwable failure) {
        if (handler != null) {
            return () -> call(value, failure);
        }
        if (failure == null) {
            complete(value);
        } else {
            boolean isToldAsItIs = failure instanceof IOException || failure instanceof SecurityException;
            completeExceptionally(isToldAsItIs ? failure : new IOException(failure));
        }
        return null;
    }

    private void call(V value, Throwable failure) {
        if (failure == null) {
            handler.completed(value, attachment);
        } else {
            handler.failed(failure, attachment);
        }
        boolean unused = Thread.interrupted(); // the interrupt must not reach the thread's next handler
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return !isDone() && cancellation != null && cancellation.cancel(this, mayInterruptIfRunning);
    }

    /** Called when the channel has given the operation up. Returns false if this has its outcome already. */
    boolean cancelled() {
        return super.cancel(false);
    }
}
