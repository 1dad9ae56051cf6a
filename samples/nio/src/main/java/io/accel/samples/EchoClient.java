// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/**
 * Sends each line of its standard input to an {@link EchoServer} and prints what comes back.
 *
 * <p>Usage: {@code EchoClient HOST PORT}.
 */
public final class EchoClient {
    private EchoClient() {}

    public static void main(String[] args) throws IOException {
        InetSocketAddress server = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        try (SocketChannel channel = SocketChannel.open(server);
                Scanner input = new Scanner(System.in, StandardCharsets.UTF_8)) {
            while (input.hasNextLine()) {
                System.out.println(echo(channel, input.nextLine()));
            }
        }
    }

    private static String echo(SocketChannel channel, String line) throws IOException {
        ByteBuffer request = StandardCharsets.UTF_8.encode(line);
        ByteBuffer reply = ByteBuffer.allocate(request.remaining());
        while (request.hasRemaining()) {
            channel.write(request);
        }
        while (reply.hasRemaining()) {
            if (channel.read(reply) < 0) {
                throw new EOFException("the server closed after " + reply.position() + " bytes of the reply");
            }
        }
        return StandardCharsets.UTF_8.decode(reply.flip()).toString();
    }
}
