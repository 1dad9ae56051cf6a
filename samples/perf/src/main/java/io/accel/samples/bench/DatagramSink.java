// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * Counts the datagrams that it gets. A datagram with a negative number at its beginning asks how many there were since the last
 * such question; the answer is the number and the count. One thread, one selector, one channel. Argument as for {@link StreamSink}.
 */
public final class DatagramSink {
    private DatagramSink() {}

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        try (Selector selector = Selector.open();
                DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(Parameters.parse(args).anyPort());
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            Event.named("ready").with("port", channel.socket().getLocalPort()).send();
            serve(selector, channel, channel);
        }
    }

    /** Counts the datagrams of a channel, which the selector has alone, and answers through another. */
    static void serve(Selector selector, DatagramChannel channel, DatagramChannel answers) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(64 * 1024);
        long count = 0;
        long lastQuestion = 0;
        long lastAnswer = 0;
        while (true) {
            selector.select();
            selector.selectedKeys().clear();
            for (SocketAddress from = channel.receive(message.clear());
                    from != null;
                    from = channel.receive(message.clear())) {
                long question = message.getLong(0);
                if (question >= 0) {
                    count++;
                    continue;
                }
                if (question != lastQuestion) { // else the answer was lost
                    lastQuestion = question;
                    lastAnswer = count;
                    count = 0;
                }
                message.clear().putLong(question).putLong(lastAnswer).flip();
                answers.send(message, from);
            }
        }
    }
}
