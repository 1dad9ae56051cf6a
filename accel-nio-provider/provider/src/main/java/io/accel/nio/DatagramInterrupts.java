// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.VirtualThreads;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AsynchronousCloseException;

/**
 * Decides what an interrupt does to a thread in a datagram channel. According to {@link OnInterrupt} it closes the channel, or does
 * not, as the channel is under a {@link java.net.DatagramSocket}. Safe for use by many threads.
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

    /** Refuses an interrupted thread that could wait, unless the channel is under a {@link java.net.DatagramSocket}. */
    void refuse() throws IOException {
        if (onInterrupt == OnInterrupt.CLOSES) {
            blocking.refuseInterrupted();
        }
    }

    /**
     * Refuses an interrupted thread in blocking mode. As in the JDK's channels, this holds even for an operation that would not wait or
     * is refused.
     */
    void refuseInBlockingMode() throws IOException {
        if (channel.isBlocking()) {
            refuse();
        }
    }

    /** Makes a wait of this thread, which has not begun. */
    Wait newWait() {
        return new Wait();
    }

    /** One operation of one waiting thread, with the effect of its interrupts. */
    final class Wait {
        private boolean interrupted;
        /** Whether this wait has closed the socket, and thrown the reason. */
        private boolean isSaid;

        private Wait() {}

        /** Begins the wait; called again after each sleep, as a selector within has replaced the interrupt handling. */
        void begin() throws SocketException {
            if (onInterrupt == OnInterrupt.CLOSES) {
                blocking.begin();
            } else if (Thread.currentThread().isInterrupted()) {
                if (VirtualThreads.isCurrent()) {
                    isSaid = true;
                    closeQuietly();
                    throw new SocketException("Closed by interrupt");
                }
                interrupted = Thread.interrupted(); // an interrupted thread could not wait
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
                // the channel is closed, and the reason is about to be thrown
            }
        }
    }
}
