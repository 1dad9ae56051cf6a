// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Runs in a JVM that has virtual threads: a writer begins to wait, and its ring comes, just as the reader that was woken before takes
 * the rings from the doorbell. The writer hears it nevertheless.
 */
final class OneRingProbe {
    private static final int LIMIT_SECONDS = 20;

    private OneRingProbe() {}

    public static void main(String[] args) throws Exception {
        VirtualWaits waits = new VirtualWaits(new Poller(new PollConfig(0, 1, 64, 0, PollConfig.Yielding.ADAPTIVE)));
        Connection connection = new Connection();
        FutureTask<Integer> writer = waiter(waits, connection, SelectionKey.OP_WRITE);
        connection.whenTaken = () -> {
            Thread thread = VirtualThreadStarter.start(writer);
            await(connection.writerAsked);
            while (thread.getState() != Thread.State.WAITING) {
                Thread.yield(); // it has looked as well
            }
            connection.ready |= SelectionKey.OP_WRITE; // and the reader has taken its ring
        };
        FutureTask<Integer> reader = waiter(waits, connection, SelectionKey.OP_READ);
        Thread unused = VirtualThreadStarter.start(reader);
        await(connection.readerAsked);
        connection.ring(SelectionKey.OP_READ);
        System.out.println("reader found " + reader.get(LIMIT_SECONDS, TimeUnit.SECONDS));
        System.out.println("writer found " + writer.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    }

    private static FutureTask<Integer> waiter(VirtualWaits waits, Connection connection, int ops) {
        return new FutureTask<>(() -> {
            while (connection.look(ops) == 0) {
                waits.await(connection, ops, -1);
            }
            return ops;
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody asked for a ring");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A link, as far as its waiters can tell. */
    private static final class Connection implements BlockingWaits.Waitable {
        final CountDownLatch readerAsked = new CountDownLatch(1);
        final CountDownLatch writerAsked = new CountDownLatch(1);
        private final Pipe doorbell;
        /** Written by the threads that ring, one after the other. */
        private volatile int ready;
        /** An action that runs once, while the reader takes the rings. */
        private volatile Runnable whenTaken;

        Connection() throws IOException {
            doorbell = Pipe.open();
            doorbell.source().configureBlocking(false);
        }

        void ring(int ops) {
            ready |= ops;
            try {
                int unused = doorbell.sink().write(ByteBuffer.allocate(1));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public int look(int interest) {
            return ready & interest;
        }

        @Override
        public void arm(int interest) {
            if ((interest & SelectionKey.OP_READ) != 0) {
                readerAsked.countDown();
            }
            if ((interest & SelectionKey.OP_WRITE) != 0) {
                writerAsked.countDown();
            }
        }

        @Override
        public int kernelReady(int interest, int watchedReady) {
            try {
                int unused = doorbell.source().read(ByteBuffer.allocate(100));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Runnable once = interest == SelectionKey.OP_READ ? whenTaken : null;
            if (once != null) {
                whenTaken = null;
                once.run();
            }
            return 0;
        }

        @Override
        public SelectableChannel watched() {
            return doorbell.source();
        }

        @Override
        public int watchedOps(int interest) {
            return SelectionKey.OP_READ;
        }

        @Override
        public boolean isPolled() {
            return true;
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public long deadline() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean retained(Registration registration) {
            return true;
        }

        @Override
        public void released(Registration registration) {
            // it does not end
        }
    }
}
