// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.locks.LockSupport;

/**
 * The time in which the JDK's channel does everything for a datagram socket, in the mode that the program has chosen, and a blocked thread
 * waits in the kernel. It ends once, when no thread is inside, since such a thread would not hear of a datagram that comes over a link; the
 * channel is in non-blocking mode from then on.
 *
 * <p>Any thread.
 */
final class KernelAlone {
    private static final VarHandle INSIDE;
    private static final int OVER = -1;
    private static final int ENDING = -2;
    /** The time between two looks at threads that must leave. They need as long as a thread needs to get a core. */
    private static final long NAP_NANOS = 20_000;
    /** The longest wait for them. A thread that gets no core for that long is not waited for. */
    private static final long MOST_WAIT_NANOS = 2_000_000_000;

    static {
        try {
            INSIDE = MethodHandles.lookup()
                    .findVarHandle(KernelAlone.class, "inside", int.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final DatagramChannel kernel;
    /** The number of threads that are inside, {@link #OVER}, or {@link #ENDING} under the monitor alone. Any thread. */
    private volatile int inside;

    KernelAlone(DatagramChannel kernel) {
        this.kernel = kernel;
    }

    /** A time that is over: the channel is in non-blocking mode from now on. */
    static KernelAlone over(DatagramChannel kernel) throws IOException {
        KernelAlone alone = new KernelAlone(kernel);
        boolean unused = alone.end();
        return alone;
    }

    /** Lets this thread do an operation in the JDK's channel, after which it {@linkplain #leave leaves}; false if the time is over. */
    boolean enter() {
        for (int now = inside; now != OVER; now = inside) {
            if (now == ENDING) {
                if (ended()) {
                    return false;
                }
            } else if (INSIDE.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    void leave() {
        int unused = (int) INSIDE.getAndAdd(this, -1);
    }

    /** Waits, after the channel was closed, until the threads that were inside have left, so that its port is free. */
    void awaitLeft() {
        long start = System.nanoTime();
        while (inside > 0 && System.nanoTime() - start < MOST_WAIT_NANOS) {
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    private synchronized boolean ended() { // once this thread has the monitor
        return inside == OVER;
    }

    /**
     * Ends the time, unless a thread is inside.
     *
     * @return whether this has ended it
     * @throws IOException if the channel is closed; the time is over then
     */
    synchronized boolean end() throws IOException {
        if (!INSIDE.compareAndSet(this, 0, ENDING)) {
            return false;
        }
        try {
            kernel.configureBlocking(false);
        } finally {
            inside = OVER;
        }
        return true;
    }
}
