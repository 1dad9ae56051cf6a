// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashMap;
import java.util.Map;

/** Sends datagrams to {@link GroupMembers}, and asks all of them. One thread. */
final class GroupPublisher implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 500;

    private final Selector selector = Selector.open();
    private final DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
    private final InetSocketAddress group;
    private final ByteBuffer message;
    private final ByteBuffer answer = ByteBuffer.allocateDirect(2 * Long.BYTES);
    private final Map<SocketAddress, Long> answers = new HashMap<>();
    private long question;

    GroupPublisher(Parameters parameters) throws IOException {
        group = new InetSocketAddress(InetAddress.getByName(GroupMembers.GROUP), parameters.number("port"));
        message = ByteBuffer.allocateDirect(parameters.number("size"));
        channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, GroupMembers.loopback())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    int size() {
        return message.capacity();
    }

    /** Sends a datagram that asks for nothing; false if there is no room now. */
    boolean send(long number) throws IOException {
        return channel.send(message.putLong(0, number).clear(), group) > 0;
    }

    /** Asks until all members have answered; returns how many datagrams they have got since they were last asked, all together. */
    long ask() throws IOException {
        question--;
        answers.clear();
        while (true) {
            channel.send(message.putLong(0, question).clear(), group);
            while (answers.size() < GroupMembers.COUNT) {
                if (selector.select(PATIENCE_MILLIS) == 0) {
                    break; // a question or an answer was lost
                }
                selector.selectedKeys().clear();
                SocketAddress from = channel.receive(answer.clear());
                while (from != null) {
                    if (answer.getLong(0) == question) {
                        answers.put(from, answer.getLong(Long.BYTES));
                    }
                    from = channel.receive(answer.clear());
                }
            }
            if (answers.size() == GroupMembers.COUNT) {
                return answers.values().stream().mapToLong(Long::longValue).sum();
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
    }
}
