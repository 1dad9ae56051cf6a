// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.io.IOException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;

/**
 * The receiver of the outcome of one operation. The outcome goes to the program's handler or, if there is none, into this future. For a
 * handler this is its call, to be run on one of the group's threads.
 *
 * <p>The outcome is given once, by the thread that has taken the operation from its channel. The program may cancel at any time; the
 * channel decides whether that is in time.
 */
final class Result<V> extends CompletableFuture<V> implements Runnable {
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

    // The outcome for a handler, written before this is handed to the thread that calls it.
    private V value;
    private Throwable failure;

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
     * Takes the outcome. For a handler it makes no object, since memory may have run out.
     *
     * @param given the operation's value, if it has not failed
     * @param why the reason why it has failed, or null
     * @return the call of the handler, to be made on one of the group's threads; null for a future, which has its outcome now
     */
    Runnable deliver(V given, Throwable why) {
        if (handler != null) {
            value = given;
            failure = why;
            return this;
        }
        if (why == null) {
            complete(given);
        } else {
            boolean isToldAsItIs = why instanceof IOException || why instanceof SecurityException;
            completeExceptionally(isToldAsItIs ? why : new IOException(why));
        }
        return null;
    }

    /** Calls the handler, once: an executor that had no memory for a second thread may have taken this nevertheless. */
    @Override
    public void run() {
        if (complete(value)) {
            call();
        }
    }

    /** Takes note that nobody will call the handler: a connection that the program never gets is closed. */
    void lost() {
        if (value instanceof AsynchronousSocketChannel accepted && complete(value)) {
            ListenerChannel.closeUnwanted(accepted);
        }
    }

    private void call() {
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
