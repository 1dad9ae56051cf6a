// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * The stream that {@link AccelSocket#getInputStream} returns. It takes no lock of its own, so a waiting read does not hold up a write.
 * Closing it closes the socket. Safe for use by many threads.
 */
final class SocketInput extends InputStream {

    /** Large enough that a transfer's cost per chunk is small beside the copying. */
    private static final int CHUNK_BYTES = 64 * 1024;

    private final SocketHooks hooks;
    private final IntSupplier timeoutMillis;
    private final OneByte oneByte = new OneByte();

    /** @param timeoutMillis the socket's SO_TIMEOUT in milliseconds, asked for at each read; 0 means none */
    SocketInput(SocketHooks hooks, IntSupplier timeoutMillis) {
        this.hooks = hooks;
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public int read() throws IOException {
        byte[] one = oneByte.take();
        try {
            return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
        } finally {
            oneByte.giveBack(one);
        }
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return 0;
        }
        requireOpenAndBlocking(hooks);
        return hooks.readBlocking(b, off, len, TimeUnit.MILLISECONDS.toNanos(timeoutMillis.getAsInt()));
    }

    @Override
    public long skip(long n) throws IOException {
        if (n <= 0) {
            return 0;
        }
        byte[] discarded = new byte[(int) Math.min(n, CHUNK_BYTES)];
        long left = n;
        while (left > 0) {
            int read = read(discarded, 0, (int) Math.min(left, discarded.length));
            if (read < 0) {
                break;
            }
            left -= read;
        }
        return n - left;
    }

    @Override
    public long transferTo(OutputStream out) throws IOException {
        Objects.requireNonNull(out, "out");
        byte[] chunk = new byte[CHUNK_BYTES];
        long transferred = 0;
        for (int n = read(chunk, 0, chunk.length); n >= 0; n = read(chunk, 0, chunk.length)) {
            out.write(chunk, 0, n);
            transferred += n;
        }
        return transferred;
    }

    @Override
    public int available() throws IOException {
        return hooks.available();
    }

    @Override
    public void close() throws IOException {
        hooks.channel().close();
    }

    static void requireOpenAndBlocking(SocketHooks hooks) throws ClosedChannelException {
        if (!hooks.channel().isOpen()) {
            throw new ClosedChannelException();
        }
        if (!hooks.channel().isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }
}
