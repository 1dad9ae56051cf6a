// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * Sends a file to a {@link FileReceiver} with {@code FileChannel.transferTo}, and checks that all of it arrived.
 *
 * <p>Usage: {@code FileSender HOST PORT FILE}.
 */
public final class FileSender {
    private FileSender() {}

    public static void main(String[] args) throws IOException {
        InetSocketAddress receiver = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        try (FileChannel file = FileChannel.open(Path.of(args[2]));
                SocketChannel channel = SocketChannel.open(receiver)) {
            long size = file.size();
            long sent = 0;
            while (sent < size) {
                sent += file.transferTo(sent, size - sent, channel);
            }
            channel.shutdownOutput();
            long received = readCount(channel);
            if (received != size) {
                throw new IOException(receiver + " received " + received + " of " + size + " bytes");
            }
            System.out.println("sent " + size + " bytes to " + receiver);
        }
    }

    /** The receiver's answer: how many bytes it got. */
    private static long readCount(SocketChannel channel) throws IOException {
        ByteBuffer count = ByteBuffer.allocate(Long.BYTES);
        while (count.hasRemaining()) {
            if (channel.read(count) < 0) {
                throw new EOFException("the receiver closed without saying how much it received");
            }
        }
        return count.getLong(0);
    }
}
