// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Receives one file from a {@link FileSender} with {@code FileChannel.transferFrom}, and answers how many bytes it got.
 *
 * <p>Usage: {@code FileReceiver FILE [PORT]}; without a port it takes a free one and prints it. An existing file is
 * refused.
 */
public final class FileReceiver {
    private static final long CHUNK = 1 << 20;

    private FileReceiver() {}

    public static void main(String[] args) throws IOException {
        int port = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            System.out.println("listening on " + listener.getLocalAddress());
            try (SocketChannel channel = listener.accept();
                    FileChannel file = FileChannel.open(
                            Path.of(args[0]), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                long received = 0;
                long moved;
                // A blocking channel yields nothing only at the end of the stream.
                while ((moved = file.transferFrom(channel, received, CHUNK)) > 0) {
                    received += moved;
                }
                ByteBuffer count = ByteBuffer.allocate(Long.BYTES).putLong(0, received);
                while (count.hasRemaining()) {
                    channel.write(count);
                }
                System.out.println("received " + received + " bytes");
            }
        }
    }
}
