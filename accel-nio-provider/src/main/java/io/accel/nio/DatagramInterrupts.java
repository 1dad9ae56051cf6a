package io.accel.nio;

import io.accel.core.jdk.VirtualThreads;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AsynchronousCloseException;

/**
 * What an interrupt does to a thread in a datagram channel: by {@link OnInterrupt} it closes the channel, or does not, since the
 * channel is under a {@link java.net.DatagramSocket}. Safe for use by many threads.
 */
final class DatagramInterrupts {
    private final AccelDatagramChannel channel;
    private final Blocking blocking;
    private final OnInterrupt onInterrupt;

    DatagramInterrupts(AccelDatagramChannel channel, Blocking blocking, OnInterrupt onInterrupt) {
        this.channel = channel;
        this.blocking = blocking;
        this.onInterrupt = onInterrupt;
    }

    /** An interrupted thread that could wait does not come in; not of a {@link java.net.DatagramSocket}. */
    void refuse() throws IOException {
        if (onInterrupt == OnInterrupt.CLOSES) {
            blocking.refuseInterrupted();
        }
    }

    /** As the JDK's, also where there is nothing to wait for, or the operation is refused. */
    void refuseInBlockingMode() throws IOException {
        if (channel.isBlocking()) {
            refuse();
        }
    }

    /** A wait of this thread, which has not begun. */
    Wait newWait() {
        return new Wait();
    }

    /** One operation of one thread that waits, and what its interrupts do. */
    final class Wait {
        private boolean interrupted;
        /** Whether it has closed the socket, and said so. */
        private boolean isSaid;

        private Wait() {}

        /** Also after each sleep: a selector within has taken the interrupts for itself. */
        void begin() throws SocketException {
            if (onInterrupt == OnInterrupt.CLOSES) {
                blocking.begin();
            } else if (Thread.currentThread().isInterrupted()) {
                if (VirtualThreads.isCurrent()) {
                    isSaid = true;
                    closeQuietly();
                    throw new SocketException("Closed by interrupt");
                }
                interrupted = Thread.interrupted(); // it could not wait otherwise
            }
        }

        void end(boolean completed) throws AsynchronousCloseException {
            if (onInterrupt == OnInterrupt.CLOSES) {
                blocking.end(completed);
                return;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (!completed && !blocking.isOpen() && !isSaid) {
                throw new AsynchronousCloseException();
            }
        }

        private void closeQuietly() {
            try {
                channel.close();
            } catch (IOException e) {
                // closed it is, and why is about to be said
            }
        }
    }
}
