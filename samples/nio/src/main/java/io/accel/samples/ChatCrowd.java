// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Many members of one {@link ChatServer} in one thread: all enter, each says one line, and each waits until it has
 * heard a line from everyone.
 *
 * <p>Usage: {@code ChatCrowd HOST PORT MEMBERS}.
 */
public final class ChatCrowd {
    private ChatCrowd() {}

    public static void main(String[] args) throws IOException {
        InetSocketAddress server = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        int members = Integer.parseInt(args[2]);
        try (Selector selector = Selector.open()) {
            List<SocketChannel> crowd = enter(selector, server, members);
            for (int i = 0; i < members; i++) {
                say(crowd.get(i), "member " + i + " says hello\n");
            }
            hear(selector, members);
            for (SocketChannel member : crowd) {
                member.close();
            }
            System.out.println(members + " members heard " + members + " lines each");
        }
    }

    /** Everybody is in, and has been welcomed, before anyone speaks: nobody misses a line. */
    private static List<SocketChannel> enter(Selector selector, InetSocketAddress server, int members)
            throws IOException {
        List<SocketChannel> crowd = new ArrayList<>();
        ByteBuffer welcome = ByteBuffer.allocate("welcome\n".length());
        for (int i = 0; i < members; i++) {
            SocketChannel member = SocketChannel.open(server);
            crowd.add(member);
            welcome.clear();
            while (welcome.hasRemaining()) {
                if (member.read(welcome) < 0) {
                    throw new EOFException("the server closed " + member + " at the door");
                }
            }
            member.configureBlocking(false);
            member.register(selector, SelectionKey.OP_READ, new int[1]);
        }
        return crowd;
    }

    private static void say(SocketChannel member, String line) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line);
        while (bytes.hasRemaining()) {
            member.write(bytes);
        }
    }

    private static void hear(Selector selector, int lines) throws IOException {
        ByteBuffer heard = ByteBuffer.allocateDirect(64 * 1024);
        int waiting = lines;
        while (waiting > 0) {
            selector.select();
            Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
            while (ready.hasNext()) {
                SelectionKey key = ready.next();
                ready.remove();
                if (((SocketChannel) key.channel()).read(heard.clear()) < 0) {
                    throw new EOFException("the server closed " + key.channel());
                }
                int[] count = (int[]) key.attachment();
                heard.flip();
                while (heard.hasRemaining()) {
                    if (heard.get() == '\n' && ++count[0] == lines) {
                        waiting--;
                    }
                }
            }
        }
    }
}
