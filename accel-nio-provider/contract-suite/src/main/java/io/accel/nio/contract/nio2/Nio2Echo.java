// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import io.accel.nio.contract.Bytes;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Asynchronous ends that send the same bytes to each other again and again, with handlers alone. */
final class Nio2Echo {
    private static final int LENGTH = 512;

    private Nio2Echo() {}

    /** Sends back the bytes that come, until the end. */
    static void serve(AsynchronousSocketChannel channel) {
        ByteBuffer buffer = ByteBuffer.allocate(LENGTH);
        channel.read(buffer, null, then(n -> {
            if (n >= 0) {
                writeAll(channel, buffer.flip(), () -> serve(channel));
            }
        }));
    }

    /** Connects, and gets so many answers; counts down when it has them all. */
    static void ask(AsynchronousSocketChannel channel, SocketAddress server, int rounds, CountDownLatch done) {
        channel.connect(server, null, new CompletionHandler<Void, Void>() {
            @Override
            public void completed(Void value, Void attachment) {
                askAgain(channel, rounds, done);
            }

            @Override
            public void failed(Throwable failure, Void attachment) {}
        });
    }

    private static void askAgain(AsynchronousSocketChannel channel, int rounds, CountDownLatch done) {
        if (rounds == 0) {
            done.countDown();
            return;
        }
        byte[] question = Bytes.random(rounds, LENGTH);
        writeAll(
                channel,
                ByteBuffer.wrap(question),
                () -> readAll(channel, ByteBuffer.allocate(LENGTH), answer -> {
                    if (ByteBuffer.wrap(question).equals(answer.flip())) {
                        askAgain(channel, rounds - 1, done);
                    }
                }));
    }

    private static void writeAll(AsynchronousSocketChannel channel, ByteBuffer buffer, Runnable next) {
        channel.write(buffer, null, then(n -> {
            if (buffer.hasRemaining()) {
                writeAll(channel, buffer, next);
            } else {
                next.run();
            }
        }));
    }

    private static void readAll(AsynchronousSocketChannel channel, ByteBuffer buffer, Consumer<ByteBuffer> next) {
        channel.read(buffer, null, then(n -> {
            if (n >= 0 && buffer.hasRemaining()) {
                readAll(channel, buffer, next);
            } else {
                next.accept(buffer);
            }
        }));
    }

    private static CompletionHandler<Integer, Void> then(IntConsumer step) {
        return new CompletionHandler<>() {
            @Override
            public void completed(Integer n, Void attachment) {
                step.accept(n);
            }

            @Override
            public void failed(Throwable failure, Void attachment) {}
        };
    }
}
