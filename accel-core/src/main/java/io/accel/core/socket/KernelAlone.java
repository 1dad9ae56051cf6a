// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.locks.LockSupport;

/**
 * The time in which the JDK's channel does everything for a datagram socket, in the mode that the program has chosen, and a blocked thread
 * waits in the kernel. It ends once, when no thread is inside, since such a thread would not hear of a datagram that comes over a link; the
 * channel is in non-blocking mode from then on.
 *
 * <p>Any thread.
 */
public final class KernelAlone {
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
    private final DatagramTalk talk = new DatagramTalk();
    /** The number of threads that are inside, {@link #OVER}, or {@link #ENDING} under the monitor alone. Any thread. */
    private volatile int inside;

    private KernelAlone(DatagramChannel kernel) {
        this.kernel = kernel;
    }

    /**
     * Begins that time, or ends it at once if the profile has links made at once.
     *
     * @param accelerator the profile at work
     * @param kernel the JDK's channel, in blocking mode; in non-blocking mode from now on if the time is over
     * @throws IOException if the channel is closed
     */
    public static KernelAlone begin(Accelerator accelerator, DatagramChannel kernel) throws IOException {
        return accelerator.linksDatagramsAtOnce() ? over(kernel) : new KernelAlone(kernel);
    }

    /**
     * A time that is over: the channel is in non-blocking mode from now on.
     *
     * @param kernel the JDK's channel
     * @throws IOException if the channel is closed
     */
    public static KernelAlone over(DatagramChannel kernel) throws IOException {
        KernelAlone alone = new KernelAlone(kernel);
        boolean unused = alone.end();
        return alone;
    }

    DatagramChannel kernel() {
        return kernel;
    }

    /** Counts a datagram to or from a peer. Returns whether the socket has exchanged enough with it. */
    boolean isEnough(InetAddress peer, int port) {
        return talk.isEnough(peer, port);
    }

    /** Whether the time is over for good. */
    public boolean isOver() {
        return inside == OVER;
    }

    /**
     * Lets this thread do one operation in the JDK's channel, which does it as the program's own channel would. Afterwards the thread
     * {@linkplain #leave leaves}. False if the time is over.
     */
    public boolean enter() {
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

    /**
     * Takes note that the operation is over. If the socket has exchanged enough with a peer, the time ends here, unless a thread is inside.
     *
     * @param peer the peer that a datagram came from or went to; null if none did
     * @param port the peer's port
     * @return whether this has ended the time
     */
    public boolean leave(InetAddress peer, int port) {
        int unused = (int) INSIDE.getAndAdd(this, -1);
        if (peer == null || !talk.isEnough(peer, port)) {
            return false;
        }
        try {
            return end();
        } catch (IOException e) {
            return true; // it is closed, as the next operation finds
        }
    }

    /** Waits, after the channel was closed, until the threads that were inside have left, so that its port is free. */
    public void awaitLeft() {
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
    private synchronized boolean end() throws IOException {
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
