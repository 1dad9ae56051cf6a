// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A program that knows nothing of Accel: one end of a Unix-domain stream, {@code listen PATH} or {@code connect PATH}. Lines of its
 * standard input say what it does: {@code write} or {@code read} and a number of bytes, {@code rest} to read up to the end, three times,
 * {@code shut} to end its output, {@code kernel} to say whether the kernel carries the stream.
 */
final class UnixEnd {
    private static final int TIMES = 3;

    private UnixEnd() {}

    public static void main(String[] args) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(Path.of(args[1]));
        if (args[0].equals("connect")) {
            try (SocketChannel channel = SocketChannel.open(address)) {
                obey(channel);
            }
            return;
        }
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            System.out.println("listening");
            try (SocketChannel channel = listener.accept()) {
                obey(channel);
            }
        }
    }

    private static void obey(SocketChannel channel) throws IOException {
        System.out.println("connected");
        int told = 0;
        for (String line = EchoPeer.line(); line != null; line = EchoPeer.line()) {
            String[] words = line.split(" ", -1);
            String answer =
                    switch (words[0]) {
                        case "write" -> write(channel, Integer.parseInt(words[1]));
                        case "read" -> read(channel, Integer.parseInt(words[1]));
                        case "rest" -> rest(channel);
                        case "shut" -> String.valueOf(channel.shutdownOutput().isOpen());
                        case "kernel" -> String.valueOf(SocketsOnce.isKernels());
                        default -> throw new IllegalArgumentException(line);
                    };
            told++;
            System.out.println(told + ": " + answer);
        }
    }

    private static String write(SocketChannel channel, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        return "wrote";
    }

    private static String read(SocketChannel channel, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                return "ended";
            }
        }
        return "read";
    }

    private static String rest(SocketChannel channel) {
        StringBuilder said = new StringBuilder();
        int bytes = 0;
        for (int ends = 0; ends < TIMES; ) {
            try {
                int n = channel.read(ByteBuffer.allocate(1000));
                bytes += Math.max(0, n);
                if (n < 0) {
                    said.append(" end");
                    ends++;
                }
            } catch (IOException e) {
                said.append(' ').append(e.getMessage());
                ends++;
            }
        }
        return bytes + " bytes," + said;
    }
}
