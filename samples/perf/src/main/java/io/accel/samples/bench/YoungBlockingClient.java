// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * Round trips to a {@link SelectorEchoServer} over {@code connections} blocking channels, each of which has a thread, from the JVM's
 * start on. Arguments: that, {@code size} and those of {@link YoungStart}.
 */
public final class YoungBlockingClient extends YoungClient {
    private final InetSocketAddress server;
    private final YoungMessage message;
    private SocketChannel channel;

    private YoungBlockingClient(YoungStart start, int size) {
        super(start);
        server = start.server();
        message = new YoungMessage(size);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Parameters parameters = Parameters.parse(args);
        YoungStart start = YoungStart.await(parameters);
        YoungClient[] clients = new YoungClient[parameters.number("connections")];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new YoungBlockingClient(start, parameters.number("size"));
        }
        runAll(start, clients);
    }

    @Override
    void open() throws IOException {
        channel = SocketChannel.open(server);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    int step() throws IOException {
        message.exchange(channel);
        return 1;
    }
}
