// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.awaitility.Awaitility.await;

import io.accel.nio.AccelAsynchronousChannelProvider;
import io.accel.nio.AccelSelectorProvider;
import io.accel.nio.async.ChannelGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** As an asynchronous group of two threads. */
final class GroupEcho extends Echo {
    private final AtomicInteger threads = new AtomicInteger();
    private final ChannelGroup group;
    private final AsynchronousServerSocketChannel listener;

    GroupEcho(AccelSelectorProvider provider) throws IOException {
        group = ChannelGroup.fixed(new AccelAsynchronousChannelProvider(), provider, 2, task -> {
            Thread thread = new Thread(task, Caller.GROUP_THREAD + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        listener = group.openServerSocketChannel();
        listener.bind(anyPort());
        acceptNext();
    }

    @Override
    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    private void acceptNext() {
        listener.accept(null, new CompletionHandler<AsynchronousSocketChannel, Void>() {
            @Override
            public void completed(AsynchronousSocketChannel accepted, Void unused) {
                acceptNext();
                new Connection(accepted).readNext();
            }

            @Override
            public void failed(Throwable e, Void unused) {
                if (!(e instanceof ClosedChannelException)) {
                    surprises.add(e);
                }
            }
        });
    }

    private final class Connection implements CompletionHandler<Integer, Boolean> {
        private final AsynchronousSocketChannel channel;
        private final ByteBuffer bytes = ByteBuffer.allocate(PIECE);
        private int errors;

        Connection(AsynchronousSocketChannel channel) {
            this.channel = channel;
        }

        void readNext() {
            bytes.clear();
            begin(true);
        }

        private void begin(boolean reads) {
            try {
                if (reads) {
                    channel.read(bytes, true, this);
                } else {
                    channel.write(bytes, false, this);
                }
            } catch (Throwable e) {
                surprises.add(e);
                GroupEcho.this.close(channel, true);
            }
        }

        @Override
        public void completed(Integer n, Boolean reads) {
            errors = 0;
            if (n < 0) {
                GroupEcho.this.close(channel, false);
            } else if (reads) {
                bytes.flip();
                begin(false);
            } else if (bytes.hasRemaining()) {
                begin(false);
            } else {
                readNext();
            }
        }

        @Override
        public void failed(Throwable e, Boolean reads) {
            if (isOver(e, errors++)) {
                GroupEcho.this.close(channel, true);
            } else if (reads && bytes.position() > 0) {
                bytes.flip();
                begin(false);
            } else {
                begin(reads);
            }
        }
    }

    @Override
    public void close() throws IOException {
        group.shutdownNow();
        await("the end of the group's threads").atMost(20, TimeUnit.SECONDS).until(group::isTerminated);
    }
}
