// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * A program that knows nothing of Accel and sends a file with {@code transferTo}. It prints whether the file has come, and
 * whether its own process has made fewer than one call for each two pieces of 8 KiB to read it. With the argument "wait" it
 * begins when it is told to.
 */
final class SendFile {
    private static final int SIZE = 16 << 20;
    private static final int PIECES = SIZE / (8 << 10);

    private SendFile() {}

    public static void main(String[] args) throws Exception {
        byte[] content = new byte[SIZE];
        new Random(1).nextBytes(content);
        Path path = Files.createTempFile("send-file", null);
        try {
            Files.write(path, content);
            if (Arrays.asList(args).contains("wait")) {
                System.out.println("ready");
                System.in.read();
            }
            try (ServerSocketChannel listener = ServerSocketChannel.open()
                            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel server = listener.accept();
                    FileChannel file = FileChannel.open(path)) {
                send(file, server, client, new byte[1 << 20]); // what happens once, happens now
                // Before that: if the receiver's thread has no processor for long, the sender's direction goes back
                // to the kernel.
                boolean left = !SocketsOnce.isKernels();
                byte[] received = new byte[SIZE];
                long calls = send(file, server, client, received);
                System.out.println("whole " + Arrays.equals(content, received));
                System.out.println("by few calls " + (calls < PIECES / 2));
                System.out.println("left the kernel " + (left || !SocketsOnce.isKernels()));
            }
        } finally {
            Files.delete(path);
        }
    }

    /** Returns how many calls that read there were meanwhile; the receiver's are large, and few. */
    private static long send(FileChannel file, SocketChannel from, SocketChannel to, byte[] received) throws Exception {
        long before = calls();
        CompletableFuture<Void> all = CompletableFuture.runAsync(() -> {
            try {
                ByteBuffer bytes = ByteBuffer.wrap(received);
                while (bytes.hasRemaining() && to.read(bytes) >= 0) {
                    // more
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        for (long done = 0; done < received.length; ) {
            done += file.transferTo(done, received.length - done, from);
        }
        all.get();
        return calls() - before;
    }

    private static long calls() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/io"))) {
            return lines.filter(line -> line.startsWith("syscr: "))
                    .mapToLong(line -> Long.parseLong(line.substring(7)))
                    .sum();
        }
    }
}
