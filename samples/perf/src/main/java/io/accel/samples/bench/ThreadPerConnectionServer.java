// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Echoes small messages to any number of clients, each with a thread here and a blocking channel. Argument:
 * {@code threads=virtual} for virtual threads.
 */
public final class ThreadPerConnectionServer {
    private ThreadPerConnectionServer() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        Control.serveInBackground();
        ExecutorService executor =
                VirtualThreads.areWanted(parameters) ? VirtualThreads.executor() : Executors.newCachedThreadPool();
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(parameters.anyPort());
            Event.named("ready").with("port", listener.socket().getLocalPort()).send();
            while (true) {
                SocketChannel channel = listener.accept();
                executor.execute(() -> echo(channel));
            }
        }
    }

    private static void echo(SocketChannel accepted) {
        ByteBuffer message = ByteBuffer.allocateDirect(64 * 1024);
        try (SocketChannel channel = accepted) {
            while (channel.read(message.clear()) >= 0) {
                message.flip();
                while (message.hasRemaining()) {
                    channel.write(message);
                }
            }
        } catch (IOException e) {
            System.err.println("a connection failed: " + e);
        }
    }
}
