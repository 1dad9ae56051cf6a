// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whole files between a {@link FilePeer} and this, by {@link FileChannel#transferTo} or {@link FileChannel#transferFrom}, in
 * blocking mode. The time of one ends when the peer has all of it, or the file has. Arguments: {@code port}, {@code size} (of a
 * file), {@code way} ({@code to} or {@code from}) and those of {@link LatencyRun}.
 */
public final class FileTransfers {
    private final SocketChannel channel;
    private final FileChannel file;
    private final int size;
    private final ByteBuffer one = ByteBuffer.allocateDirect(1);

    private FileTransfers(SocketChannel channel, FileChannel file, int size) {
        this.channel = channel;
        this.file = file;
        this.size = size;
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        Path path = Files.createTempFile("accel-perf-", ".file");
        try (FileChannel file = FileChannel.open(path, READ, WRITE);
                SocketChannel channel = SocketChannel.open(parameters.server())) {
            Files.delete(path); // it lives as long as it is open, however this program ends
            fill(file, size);
            FileTransfers transfers = new FileTransfers(channel, file, size);
            LatencyRun.RoundTrip transfer = parameters.text("way").equals("to") ? transfers::send : transfers::receive;
            // The process's count of bytes includes the file's, and does not show the path.
            new LatencyRun(transfer, size, 1, () -> -1).execute(parameters);
        }
    }

    private static void fill(FileChannel file, int size) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(size);
        while (zeros.hasRemaining()) {
            file.write(zeros, zeros.position());
        }
    }

    private void send() throws IOException {
        ask(FilePeer.TAKE);
        long done = 0;
        while (done < size) {
            done += file.transferTo(done, size - done, channel);
        }
        if (channel.read(one.clear()) < 0) {
            throw new IOException("the server closed without an acknowledgement");
        }
    }

    private void receive() throws IOException {
        ask(FilePeer.GIVE);
        long done = 0;
        while (done < size) {
            long n = file.transferFrom(channel, done, size - done);
            if (n == 0) {
                throw new IOException("the server closed after " + done + " bytes of a file");
            }
            done += n;
        }
    }

    private void ask(byte what) throws IOException {
        channel.write(one.clear().put(0, what));
    }
}
