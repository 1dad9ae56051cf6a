// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.daemon.Daemons;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Lets the two streams that {@link Channels} makes of a channel be used at the same time. From JDK 19 on they are independent for the
 * JDK's own channels. For all others they hold the channel's {@link SelectableChannel#blockingLock} during a read or a write, so that a
 * thread that waits in a read keeps the write away for whose answer it waits. An operation that has to wait while its thread holds
 * that lock for such a stream goes on in another thread, and its own waits in the lock, which lets others in.
 *
 * <p>The lock guards the mode, which does not change meanwhile, because a change of the mode waits for reads and writes.
 */
final class StreamsLock {
    /** Whether this JDK's streams are independent for its own channels. */
    private static final boolean IS_OTHERS_ALONE = Runtime.version().feature() >= 19;

    /** How deep in the stack the stream is, at most; it calls the channel. */
    private static final int DEPTH = 24;

    /** How long a thread that has waited for others is kept. */
    private static final long KEPT_SECONDS = 10;

    /** Made when a thread first needs one. */
    private static final class Threads {
        static final ThreadPoolExecutor POOL = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                KEPT_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                body -> Daemons.unstarted("accel-stream", body));
    }

    /** A read or a write. */
    interface Transfer {
        int run() throws IOException;
    }

    private StreamsLock() {}

    /**
     * Whether the calling thread, which is about to wait in an operation of a channel in blocking mode, must let others in.
     *
     * @param buffer the buffer of the operation, which belongs to no thread alone if it is a stream's
     */
    static boolean isHeld(SelectableChannel channel, ByteBuffer buffer) {
        return IS_OTHERS_ALONE && Thread.holdsLock(channel.blockingLock()) && buffer.hasArray() && isStreams();
    }

    private static boolean isStreams() {
        return StackWalker.getInstance().walk(frames -> frames.limit(DEPTH)
                .map(StackWalker.StackFrame::getClassName)
                .anyMatch(name ->
                        name.equals("sun.nio.ch.ChannelInputStream") || name.equals("sun.nio.ch.ChannelOutputStream")));
    }

    /**
     * Runs a transfer in another thread, while this one, which holds the lock, waits in it. An interrupt of this thread becomes one of the
     * other.
     *
     * @throws IOException as the transfer
     */
    static int letOthersIn(Object lock, Transfer transfer) throws IOException {
        Elsewhere elsewhere = new Elsewhere(lock, transfer);
        Threads.POOL.execute(elsewhere);
        return elsewhere.await();
    }

    /** A transfer in another thread. All fields are guarded by the lock. */
    private static final class Elsewhere implements Runnable {
        private final Object lock;
        private final Transfer transfer;
        /** Null before the transfer begins. */
        private Thread thread;

        private boolean interrupted;
        private boolean over;
        private int result;
        private Throwable failure;

        Elsewhere(Object lock, Transfer transfer) {
            this.lock = lock;
            this.transfer = transfer;
        }

        @Override
        public void run() {
            synchronized (lock) {
                thread = Thread.currentThread();
                if (interrupted) {
                    thread.interrupt();
                }
            }
            int n = 0;
            Throwable thrown = null;
            try {
                n = transfer.run();
            } catch (Throwable e) { // the waiting thread throws it
                thrown = e;
            }
            synchronized (lock) {
                result = n;
                failure = thrown;
                over = true;
                lock.notifyAll();
            }
            boolean unused = Thread.interrupted(); // the thread serves others
        }

        /** Called with the lock. */
        @SuppressWarnings("WaitNotInLoop") // it is in one
        int await() throws IOException {
            while (!over) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                    if (thread != null) {
                        thread.interrupt();
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (failure instanceof IOException e) {
                throw e;
            } else if (failure instanceof RuntimeException e) {
                throw e;
            } else if (failure instanceof Error e) {
                throw e;
            }
            return result;
        }
    }
}
