// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * Like {@link YoungBlockingClient}, with a connection for each echo, to a {@link ShortConnectionServer}. {@code connections} is how many
 * threads do that.
 */
public final class YoungShortConnections extends YoungClient {
    private final InetSocketAddress server;
    private final YoungMessage message;

    private YoungShortConnections(YoungStart start, int size) {
        super(start);
        server = start.server();
        message = new YoungMessage(size);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Parameters parameters = Parameters.parse(args);
        YoungStart start = YoungStart.await(parameters);
        YoungClient[] clients = new YoungClient[parameters.number("connections")];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new YoungShortConnections(start, parameters.number("size"));
        }
        runAll(start, clients);
    }

    @Override
    int step() throws IOException {
        try (SocketChannel channel = SocketChannel.open(server)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            message.exchange(channel);
            if (!message.isEnd(channel)) {
                throw new IOException("the server sent more than it got");
            }
        }
        return 1;
    }
}
