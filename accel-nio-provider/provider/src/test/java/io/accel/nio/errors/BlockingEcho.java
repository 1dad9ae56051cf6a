// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.AccelSelectorProvider;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** With a thread for each connection. */
final class BlockingEcho extends Echo {
    private final ServerSocketChannel listener;
    private final boolean isVirtual;
    private final Background<Void> accepting;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

    BlockingEcho(AccelSelectorProvider provider, boolean isVirtual) throws IOException {
        this.isVirtual = isVirtual;
        listener = provider.openServerSocketChannel();
        listener.bind(anyPort());
        accepting = Background.start(this::acceptAll);
    }

    @Override
    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    private Void acceptAll() throws Exception {
        try {
            while (true) {
                SocketChannel accepted = listener.accept();
                open.add(accepted);
                start(() -> serve(accepted));
            }
        } catch (AsynchronousCloseException e) {
            return null;
        }
    }

    private void start(Runnable task) throws ReflectiveOperationException {
        if (isVirtual) { // which the release that the tests are compiled for does not have
            Object unused =
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } else {
            Thread thread = new Thread(task, "a server's");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void serve(SocketChannel channel) {
        ByteBuffer bytes = ByteBuffer.allocate(PIECE).flip();
        boolean early = false;
        int errors = 0;
        while (true) {
            try {
                if (!bytes.hasRemaining()) {
                    bytes.clear();
                    try {
                        if (channel.read(bytes) < 0) {
                            break;
                        }
                    } finally {
                        bytes.flip();
                    }
                }
                int unused = channel.write(bytes);
                errors = 0;
            } catch (Throwable e) {
                if (isOver(e, errors++)) {
                    early = true;
                    break;
                }
            }
        }
        open.remove(channel);
        close(channel, early);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        assertThat(accepting).succeedsWithin(20, TimeUnit.SECONDS);
        for (SocketChannel each : open) {
            each.close();
        }
    }
}
