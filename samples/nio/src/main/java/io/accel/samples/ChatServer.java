// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;

/**
 * Welcomes each member with a line, and passes each line that a member sends to all members; one thread and one
 * selector serve any number of them.
 *
 * <p>Usage: {@code ChatServer [PORT]}; without a port it takes a free one and prints it. A client that reads so slowly that
 * {@value #MAX_BACKLOG} pieces wait for it is disconnected, since one slow reader must not fill the memory.
 */
public final class ChatServer {
    private static final int MAX_BACKLOG = 10_000;
    private static final int MAX_LINE = 4096;
    private static final ByteBuffer WELCOME =
            StandardCharsets.UTF_8.encode("welcome\n").asReadOnlyBuffer();

    /** One connected member: the line that it is typing, and the bytes that have yet to be sent to it. */
    private static final class Member {
        final ByteBuffer typed = ByteBuffer.allocate(MAX_LINE);
        final Queue<ByteBuffer> backlog = new ArrayDeque<>();
    }

    private final Selector selector;
    private final ServerSocketChannel listener;

    private ChatServer(Selector selector, ServerSocketChannel listener) {
        this.selector = selector;
        this.listener = listener;
    }

    public static void main(String[] args) throws IOException {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 0;
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            System.out.println("listening on " + listener.getLocalAddress());
            new ChatServer(selector, listener).serve();
        }
    }

    private void serve() throws IOException {
        while (true) {
            selector.select();
            Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
            while (ready.hasNext()) {
                SelectionKey key = ready.next();
                ready.remove();
                if (!key.isValid()) {
                    continue; // disconnected by an earlier key of this turn
                }
                if (key.isAcceptable()) {
                    welcome();
                    continue;
                }
                if (key.isWritable()) {
                    send(key);
                }
                if (key.isValid() && key.isReadable()) {
                    listen(key);
                }
            }
        }
    }

    private void welcome() throws IOException {
        for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
            channel.configureBlocking(false);
            Member member = new Member();
            member.backlog.add(WELCOME.duplicate());
            channel.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE, member);
        }
    }

    private void listen(SelectionKey key) throws IOException {
        ByteBuffer typed = ((Member) key.attachment()).typed;
        try {
            if (((SocketChannel) key.channel()).read(typed) < 0) {
                key.channel().close();
                return;
            }
        } catch (IOException gone) {
            disconnect(key, gone.toString());
            return;
        }
        int complete = typed.position();
        while (complete > 0 && typed.get(complete - 1) != '\n') {
            complete--;
        }
        if (complete > 0) {
            typed.flip();
            byte[] lines = new byte[complete];
            typed.get(lines).compact();
            broadcast(ByteBuffer.wrap(lines).asReadOnlyBuffer());
        } else if (!typed.hasRemaining()) {
            disconnect(key, "a line longer than " + MAX_LINE + " bytes");
        }
    }

    private void broadcast(ByteBuffer lines) throws IOException {
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof Member member) {
                member.backlog.add(lines.duplicate());
                if (member.backlog.size() > MAX_BACKLOG) {
                    disconnect(key, "reads too slowly");
                } else {
                    key.interestOpsOr(SelectionKey.OP_WRITE);
                }
            }
        }
    }

    private static void send(SelectionKey key) throws IOException {
        Queue<ByteBuffer> backlog = ((Member) key.attachment()).backlog;
        try {
            for (ByteBuffer next = backlog.peek(); next != null; next = backlog.peek()) {
                ((SocketChannel) key.channel()).write(next);
                if (next.hasRemaining()) {
                    return; // the channel is full; OP_WRITE tells when it no longer is
                }
                backlog.remove();
            }
            key.interestOpsAnd(~SelectionKey.OP_WRITE);
        } catch (IOException gone) {
            disconnect(key, gone.toString());
        }
    }

    private static void disconnect(SelectionKey key, String why) throws IOException {
        System.err.println("disconnecting " + key.channel() + ": " + why);
        key.channel().close();
    }
}
