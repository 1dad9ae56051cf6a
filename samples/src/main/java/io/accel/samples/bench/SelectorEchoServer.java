package io.accel.samples.bench;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/** Echoes small messages to any number of clients: one thread, one selector, non-blocking channels. Argument as {@link StreamSink}. */
public final class SelectorEchoServer {
    private static final int BACKLOG = 1024;

    private SelectorEchoServer() {}

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        ByteBuffer message = ByteBuffer.allocateDirect(64 * 1024);
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(Parameters.parse(args).anyPort(), BACKLOG);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            Event.named("ready").with("port", listener.socket().getLocalPort()).send();
            while (true) {
                selector.select();
                Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
                while (ready.hasNext()) {
                    SelectionKey key = ready.next();
                    ready.remove();
                    if (key.isAcceptable()) {
                        accept(listener, selector);
                    } else if (key.isReadable()) {
                        echo((SocketChannel) key.channel(), message);
                    }
                }
            }
        }
    }

    private static void accept(ServerSocketChannel listener, Selector selector) throws IOException {
        SocketChannel channel = listener.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.register(selector, SelectionKey.OP_READ);
        }
    }

    private static void echo(SocketChannel channel, ByteBuffer message) throws IOException {
        message.clear();
        if (channel.read(message) < 0) {
            channel.close();
            return;
        }
        message.flip();
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }
}
