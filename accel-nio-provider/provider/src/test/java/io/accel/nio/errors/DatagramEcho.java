// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.AccelSelectorProvider;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Sends each datagram back, in an event loop. */
final class DatagramEcho implements AutoCloseable {
    /** What the program was told that it should not have been. */
    final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

    private final DatagramChannel channel;
    private final Selector selector;
    private final Background<Void> loop;
    private volatile boolean closed;

    DatagramEcho(AccelSelectorProvider provider) throws IOException {
        channel = provider.openDatagramChannel();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        selector = provider.openSelector();
        channel.register(selector, SelectionKey.OP_READ);
        loop = Background.start(this::loop);
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    private Void loop() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(2_000);
        while (!closed) {
            selector.select();
            selector.selectedKeys().clear();
            while (answerOne(bytes)) {
                // until there is none
            }
        }
        return null;
    }

    private boolean answerOne(ByteBuffer bytes) throws IOException {
        try {
            SocketAddress from = channel.receive(bytes.clear());
            if (from != null) {
                channel.send(bytes.flip(), from);
            }
            return from != null;
        } catch (RuntimeException | Error e) {
            if (!DatagramTalker.mayBeTold(e)) {
                surprises.add(e);
            }
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        assertThat(loop).succeedsWithin(20, TimeUnit.SECONDS);
        channel.close();
        selector.close();
    }
}
