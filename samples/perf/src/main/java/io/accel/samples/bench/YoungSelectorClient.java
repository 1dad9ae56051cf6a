// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/**
 * Like {@link YoungBlockingClient}, by non-blocking channels: each thread has a selector and {@code connections_each} connections, on
 * each of which a message is under way. Arguments: that, {@code connections} of all threads, {@code size} and those of {@link YoungStart}.
 */
public final class YoungSelectorClient extends YoungClient {
    private final InetSocketAddress server;
    private final int size;
    private final int connections;
    private Selector selector;

    private YoungSelectorClient(YoungStart start, int size, int connections) {
        super(start);
        server = start.server();
        this.size = size;
        this.connections = connections;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Parameters parameters = Parameters.parse(args);
        YoungStart start = YoungStart.await(parameters);
        int each = parameters.number("connections_each");
        YoungClient[] clients = new YoungClient[parameters.number("connections") / each];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new YoungSelectorClient(start, parameters.number("size"), each);
        }
        runAll(start, clients);
    }

    @Override
    void open() throws IOException {
        selector = Selector.open();
        for (int i = 0; i < connections; i++) {
            SocketChannel channel = SocketChannel.open(server);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            YoungMessage message = new YoungMessage(size);
            channel.register(selector, SelectionKey.OP_READ, message);
            message.send(channel);
        }
    }

    @Override
    int step() throws IOException {
        selector.select();
        int ended = 0;
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (ready.hasNext()) {
            SelectionKey key = ready.next();
            ready.remove();
            SocketChannel channel = (SocketChannel) key.channel();
            YoungMessage message = (YoungMessage) key.attachment();
            if (key.isReadable() && message.receive(channel)) {
                ended++;
                message.send(channel);
            }
        }
        return ended;
    }
}
