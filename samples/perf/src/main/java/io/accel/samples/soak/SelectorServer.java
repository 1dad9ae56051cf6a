// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Serves with channels and a selector, in one thread, over TCP and perhaps a Unix-domain socket. */
final class SelectorServer implements Runnable {
    private static final int BACKLOG = 200;

    private final Tally tally;
    private final Selector selector;
    private final int port;

    /** @param path of the Unix-domain socket; null for none */
    SelectorServer(Tally tally, InetAddress address, Path path) throws IOException {
        this.tally = tally;
        selector = Selector.open();
        ServerSocketChannel listener = ServerSocketChannel.open();
        listen(listener, new InetSocketAddress(address, 0));
        port = listener.socket().getLocalPort();
        if (path != null) {
            listen(ServerSocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(path));
        }
    }

    private void listen(ServerSocketChannel listener, SocketAddress address) throws IOException {
        listener.bind(address, BACKLOG);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    int port() {
        return port;
    }

    @Override
    public void run() {
        try {
            while (true) {
                selector.select(this::turn);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void turn(SelectionKey key) {
        if (key.channel() instanceof ServerSocketChannel listener) {
            accept(listener);
            return;
        }
        Service service = (Service) key.attachment();
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            if (!serve(channel, service)) {
                channel.close();
            } else {
                key.interestOps(service.toSend().hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            }
        } catch (IOException | WrongBytesException e) {
            service.over(e instanceof WrongBytesException, e.toString());
            close(channel);
        }
    }

    private void accept(ServerSocketChannel listener) {
        try {
            for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ, new Service(tally, channel.getRemoteAddress()));
            }
        } catch (IOException e) {
            tally.failed(true, false, "accept: " + e);
        }
    }

    /** Goes on for as long as something moves; false if the connection is at its end. */
    private static boolean serve(SocketChannel channel, Service service) throws IOException, WrongBytesException {
        while (true) {
            if (service.toSend().hasRemaining()) {
                int sent = channel.write(service.toSend());
                if (service.shouldClose()) {
                    return false;
                }
                if (sent == 0) {
                    return true;
                }
                continue;
            }
            int received = channel.read(service.wanted());
            if (received < 0) {
                service.over(false, "end of stream");
                return false;
            }
            if (received == 0) {
                return true;
            }
            service.arrived();
            if (service.shouldClose()) {
                return false;
            }
        }
    }

    private void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            tally.failed(true, false, "close: " + e);
        }
    }
}
