package io.accel.nio;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * The begin and end of a channel's blocking operations, which {@link AbstractInterruptibleChannel} gives to its subclasses alone,
 * for the classes that do such operations for it. Safe for use by many threads.
 */
abstract class Blocking {

    /** From now on an interrupt of this thread closes the channel. */
    abstract void begin();

    /**
     * The operation that this thread has begun is over.
     *
     * @param completed whether it has done what it was to do
     * @throws AsynchronousCloseException if the channel was closed meanwhile, by an interrupt or otherwise, and it has not
     */
    abstract void end(boolean completed) throws AsynchronousCloseException;

    abstract boolean isOpen();

    /** A thread that comes interrupted into a blocking operation does not come in. */
    final void refuseInterrupted() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            closeByInterrupt();
        }
    }

    /** This thread is interrupted, and about to begin a blocking operation: the channel closes, and this says so. */
    final void closeByInterrupt() throws IOException {
        boolean completed = false;
        try {
            begin();
            completed = isOpen();
        } finally {
            end(completed);
        }
    }
}
