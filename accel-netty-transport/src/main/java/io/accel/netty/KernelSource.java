// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.Incoming;
import io.accel.core.socket.LinkStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;

/** The bytes of a connection that come through the kernel, as buffers want to read them. Its channel does the closing. */
final class KernelSource implements ScatteringByteChannel {
    private final SocketChannel channel;
    private final Incoming incoming;

    KernelSource(SocketChannel channel, Incoming incoming) {
        this.channel = channel;
        this.incoming = incoming;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        int n;
        do {
            n = readOnce(dst);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private int readOnce(ByteBuffer dst) throws IOException {
        if (incoming.enter() != null) {
            return 0;
        }
        try {
            int aside = incoming.readAside(dst);
            if (aside > 0) {
                return aside;
            }
            return incoming.took(channel.read(dst), dst);
        } catch (IOException e) {
            return incoming.failed(e);
        } finally {
            incoming.leave();
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            if (!dsts[i].hasRemaining()) {
                continue;
            }
            int n = read(dsts[i]);
            if (n <= 0) {
                return total > 0 ? total : n;
            }
            total += n;
            if (dsts[i].hasRemaining()) {
                break;
            }
        }
        return total;
    }

    @Override
    public long read(ByteBuffer[] dsts) throws IOException {
        return read(dsts, 0, dsts.length);
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("closed by its channel");
    }
}
