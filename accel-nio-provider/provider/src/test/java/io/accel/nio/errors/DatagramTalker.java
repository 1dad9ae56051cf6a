// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import io.accel.nio.AccelDatagramChannel;
import io.accel.nio.AccelSelectorProvider;
import io.accel.testing.InjectedErrors.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Makes round trips with a {@link DatagramEcho}. */
final class DatagramTalker implements AutoCloseable {
    /** The time until an answer counts as lost, or its question. */
    private static final long PATIENCE_MILLIS = 20;
    /** The time until something counts as over that loses datagrams. */
    private static final long LIMIT_SECONDS = 20;

    private final DatagramChannel channel;
    private final Selector selector;
    private final InetSocketAddress server;
    private final ByteBuffer bytes = ByteBuffer.allocate(100);
    private long number;

    DatagramTalker(AccelSelectorProvider provider, DatagramEcho server) throws IOException {
        this.server = server.address();
        channel = provider.openDatagramChannel();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        selector = provider.openSelector();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** Makes round trips. A datagram that gets lost is sent again. */
    void talk(int trips) throws IOException {
        for (int i = 0; i < trips; i++) {
            number++;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (!hasAnswer()) {
                if (System.nanoTime() - end > 0) {
                    throw new AssertionError("no answer to " + number);
                }
                send();
                int unused = selector.select(PATIENCE_MILLIS);
                selector.selectedKeys().clear();
            }
        }
    }

    /** Makes round trips until something has happened, or the time is over. */
    void talkUntil(BooleanSupplier hasHappened, long millis) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!hasHappened.getAsBoolean() && System.nanoTime() - end < 0) {
            talk(1);
        }
    }

    /** Makes round trips until they go by a link. */
    void talkUntilLinked() throws IOException {
        talkUntil(this::isLinked, TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        if (!isLinked()) {
            throw new AssertionError("there is no link");
        }
        talk(1);
    }

    private boolean isLinked() {
        return ((AccelDatagramChannel) channel).path(server).path().equals("shm");
    }

    private void send() throws IOException {
        try {
            int unused = channel.send(bytes.clear().putLong(0, number), server);
        } catch (RuntimeException | Error e) {
            if (!mayBeTold(e)) {
                throw e;
            }
        }
    }

    /** A program hears of a want of memory or stack in its own calls, and of nothing else. */
    static boolean mayBeTold(Throwable e) {
        return Kind.isAny(e) && (e instanceof OutOfMemoryError || e instanceof StackOverflowError);
    }

    private boolean hasAnswer() throws IOException {
        while (true) {
            try {
                if (channel.receive(bytes.clear()) == null) {
                    return false;
                }
            } catch (RuntimeException | Error e) {
                if (!mayBeTold(e)) {
                    throw e;
                }
                return false;
            }
            if (bytes.getLong(0) == number) {
                return true;
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
    }
}
