// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * The begin and end of a channel's blocking operations, for the classes that do such operations for the channel. {@link
 * AbstractInterruptibleChannel} gives them to its subclasses alone. Safe for use by many threads.
 */
abstract class Blocking {

    /** Begins an operation: from now on an interrupt of this thread closes the channel. */
    abstract void begin();

    /**
     * Ends the operation that this thread has begun.
     *
     * @param completed whether the operation has done its work
     * @throws AsynchronousCloseException if the channel was closed meanwhile, by an interrupt or otherwise, and the work is not done
     */
    abstract void end(boolean completed) throws AsynchronousCloseException;

    abstract boolean isOpen();

    /** Refuses a thread that is interrupted before it enters a blocking operation. */
    final void refuseInterrupted() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            closeByInterrupt();
        }
    }

    /** Closes the channel and throws, as this interrupted thread is about to begin a blocking operation. */
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
