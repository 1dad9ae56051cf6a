// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.AccelSelectorProvider;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** As an event loop: one thread, one selector. */
final class SelectorEcho extends Echo {
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final Background<Void> loop;
    private volatile boolean closed;

    private static final class Connection {
        final ByteBuffer bytes = ByteBuffer.allocate(PIECE).flip();
        boolean hasEnded;
        int errors;
    }

    SelectorEcho(AccelSelectorProvider provider) throws IOException {
        listener = provider.openServerSocketChannel();
        listener.bind(anyPort());
        listener.configureBlocking(false);
        selector = provider.openSelector();
        listener.register(selector, SelectionKey.OP_ACCEPT);
        loop = Background.start(this::loop);
    }

    @Override
    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    private Void loop() throws Exception {
        while (!closed) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                serve(key);
            }
            selector.selectedKeys().clear();
        }
        return null;
    }

    private void serve(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            if (connection == null) {
                accept();
            } else {
                echo(key, (SocketChannel) key.channel(), connection);
                connection.errors = 0;
            }
        } catch (CancelledKeyException e) {
            return; // it has closed itself
        } catch (Throwable e) {
            if (connection == null) {
                surprises.add(e);
            } else if (isOver(e, connection.errors++)) {
                close(key.channel(), true);
            }
        }
    }

    private void accept() throws IOException {
        SocketChannel accepted = listener.accept();
        if (accepted != null) {
            try {
                accepted.configureBlocking(false);
                accepted.register(selector, SelectionKey.OP_READ, new Connection());
            } catch (RuntimeException | Error e) {
                boolean unused = isOver(e, MOST_ERRORS); // which nobody would hear of any more
                close(accepted, true);
            }
        }
    }

    private void echo(SelectionKey key, SocketChannel channel, Connection connection) throws IOException {
        ByteBuffer bytes = connection.bytes;
        if (!bytes.hasRemaining() && !connection.hasEnded) {
            bytes.clear();
            try {
                connection.hasEnded = channel.read(bytes) < 0;
            } finally {
                bytes.flip();
            }
        }
        if (bytes.hasRemaining()) {
            int unused = channel.write(bytes);
        }
        if (connection.hasEnded && !bytes.hasRemaining()) {
            close(channel, false);
        } else {
            key.interestOps(bytes.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        assertThat(loop).succeedsWithin(20, TimeUnit.SECONDS);
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
