package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Echoes small messages to one client after the other: one thread, blocking channels. */
public final class BlockingEchoServer {
    private BlockingEchoServer() {}

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        ByteBuffer message = ByteBuffer.allocateDirect(64 * 1024);
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Event.named("ready").with("port", listener.socket().getLocalPort()).send();
            while (true) {
                try (SocketChannel channel = listener.accept()) {
                    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    while (channel.read(message.clear()) >= 0) {
                        message.flip();
                        while (message.hasRemaining()) {
                            channel.write(message);
                        }
                    }
                }
            }
        }
    }
}
