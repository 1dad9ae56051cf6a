// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * Members of a multicast group, {@link #COUNT} in as many processes: this process starts the others. Each counts the datagrams that it gets.
 * One with a negative number at its beginning asks for an answer: that number, and the count since the last such question. One thread,
 * one selector for each. No argument; the other processes have the port.
 */
public final class GroupMembers {
    /** How many members there are. */
    static final int COUNT = 3;
    /** The group, on the loopback interface. */
    static final String GROUP = "239.12.34.56";

    private GroupMembers() {}

    public static void main(String[] args) throws IOException {
        int port = Parameters.parse(args).number("port", 0);
        Control.serveInBackground();
        try (Selector selector = Selector.open();
                DatagramChannel answers = DatagramChannel.open(StandardProtocolFamily.INET);
                DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            answers.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(new InetSocketAddress(port));
            channel.join(InetAddress.getByName(GROUP), loopback());
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            if (port == 0) {
                for (int i = 1; i < COUNT; i++) {
                    startAnother(channel.socket().getLocalPort());
                }
            }
            Event.named("ready").with("port", channel.socket().getLocalPort()).send();
            DatagramSink.serve(selector, channel, answers);
        }
    }

    /** The interface of the group. */
    static NetworkInterface loopback() throws IOException {
        return NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    }

    /** Starts a process that ends with this one, whose end of the pipe to it is then closed. */
    private static void startAnother(int port) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), GroupMembers.class.getName(), "port=" + port));
        Process unused = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
