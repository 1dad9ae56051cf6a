// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import io.accel.core.jdk.JdkAccess;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A capture in another process, whose file this one receives. One thread; another may call {@link #stop}. */
public final class RemoteCapture implements AutoCloseable {
    /** How long to wait for that process, which sends something ten times a second. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final SocketChannel channel;
    private final Selector selector;
    private final CaptureAnswer answer = new CaptureAnswer(this::read);

    private RemoteCapture(SocketChannel channel) throws IOException {
        this.channel = channel;
        this.selector = JdkAccess.kernelProvider().openSelector();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Begins a capture.
     *
     * @param directory the process's directory, as {@link ObservedProcess#find} finds it
     * @param request the request
     * @return the capture, or null if the process is dead
     * @throws IOException if the process cannot be asked
     */
    public static RemoteCapture begin(Path directory, CaptureRequest request) throws IOException {
        SocketChannel channel = StatsDirectory.call(directory);
        if (channel == null) {
            return null;
        }
        try {
            ByteBuffer asked = request.encode();
            ByteBuffer all = ByteBuffer.allocate(1 + asked.remaining());
            channel.write(all.put(StatsService.CAPTURE).put(asked).flip()); // an empty socket has room for so little
            return new RemoteCapture(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Waits for the next part of the file.
     *
     * @return whole blocks, or none for the moment; null at the end
     * @throws IOException if the process does not capture, does not answer any more, or answers with nonsense
     */
    public ByteBuffer next() throws IOException {
        return answer.next();
    }

    /** The outcome of the capture; null as long as it has not ended. */
    public CaptureSource.Totals totals() {
        return answer.totals();
    }

    /**
     * Asks the process to stop: the rest of the file so far comes, and then the end.
     *
     * @throws IOException if the process has ended
     */
    public void stop() throws IOException {
        channel.shutdownOutput();
    }

    private ByteBuffer read(int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (buffer.hasRemaining()) {
            int n = channel.read(buffer);
            if (n < 0) {
                throw new EOFException("the process has ended");
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            selector.selectedKeys().clear();
            if (n == 0 && (left <= 0 || selector.select(left) == 0)) {
                throw new IOException("the process does not answer: it is stopped or overloaded");
            }
        }
        return buffer.flip();
    }

    /** Ends the capture, if it has not ended. */
    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
