// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Echoes small messages to any number of clients: event loops, each a thread with a selector and non-blocking channels. The
 * first one accepts, and deals connections out to all of them in turn. Arguments: {@code loops} (1 without it), and as for
 * {@link StreamSink}.
 */
public final class SelectorEchoServer implements Runnable {
    private static final int BACKLOG = 1024;

    private final Selector selector = Selector.open();
    private final ByteBuffer message = ByteBuffer.allocateDirect(64 * 1024);
    /** Written by the first loop, read by this loop. */
    private final Queue<SocketChannel> arrivals = new ConcurrentLinkedQueue<>();
    /** The loops that connections go to in turn; only the first loop uses it. */
    private final List<SelectorEchoServer> all;

    private int next;

    private SelectorEchoServer(List<SelectorEchoServer> all) throws IOException {
        this.all = all;
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        List<SelectorEchoServer> loops = new ArrayList<>();
        Thread[] threads = new Thread[parameters.number("loops", 1)];
        for (int i = 0; i < threads.length; i++) {
            SelectorEchoServer loop = new SelectorEchoServer(loops);
            loops.add(loop);
            threads[i] = new Thread(loop, "echo-loop");
        }
        Control.serveInBackground(threads);
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(parameters.anyPort(), BACKLOG);
        listener.configureBlocking(false);
        listener.register(loops.get(0).selector, SelectionKey.OP_ACCEPT);
        for (Thread thread :
                threads) { // without a lambda, which would load a hundred classes where a young JVM is measured
            thread.start();
        }
        Event.named("ready").with("port", listener.socket().getLocalPort()).send();
    }

    @Override
    public void run() {
        try {
            while (true) {
                selector.select();
                for (SocketChannel channel = arrivals.poll(); channel != null; channel = arrivals.poll()) {
                    channel.register(selector, SelectionKey.OP_READ);
                }
                Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
                while (ready.hasNext()) {
                    SelectionKey key = ready.next();
                    ready.remove();
                    if (key.isAcceptable()) {
                        accept((ServerSocketChannel) key.channel());
                    } else if (key.isReadable()) {
                        echo((SocketChannel) key.channel());
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private void accept(ServerSocketChannel listener) throws IOException {
        SocketChannel channel = listener.accept();
        if (channel == null) {
            return;
        }
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SelectorEchoServer loop = all.get(next++ % all.size());
        if (loop == this) {
            channel.register(selector, SelectionKey.OP_READ);
        } else {
            loop.arrivals.add(channel);
            loop.selector.wakeup();
        }
    }

    private void echo(SocketChannel channel) throws IOException {
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
