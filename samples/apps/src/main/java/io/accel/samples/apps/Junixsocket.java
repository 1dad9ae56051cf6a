// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.BlockingEchoServer;
import io.accel.samples.bench.BlockingPingPong;
import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.newsclub.net.unix.AFUNIXServerSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;

/** Blocking channels over junixsocket's Unix-domain sockets. */
final class Junixsocket {
    private Junixsocket() {}

    static void serve(String path) throws IOException {
        try (ServerSocketChannel listener = AFUNIXServerSocketChannel.open()) {
            BlockingEchoServer.serve(listener.bind(address(path)));
        }
    }

    static void pingPong(String path, Parameters parameters) throws IOException {
        try (SocketChannel channel = AFUNIXSocketChannel.open(address(path))) {
            BlockingPingPong.run(channel, parameters);
        }
    }

    private static AFUNIXSocketAddress address(String path) throws IOException {
        return AFUNIXSocketAddress.of(Path.of(path));
    }
}
