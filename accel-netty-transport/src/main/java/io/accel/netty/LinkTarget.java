// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.LinkStream;
import io.accel.core.socket.LinkWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** An accelerated connection as file regions want to see it. Its channel does the closing. */
final class LinkTarget implements WritableByteChannel {
    private final LinkStream link;

    LinkTarget(LinkStream link) {
        this.link = link;
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        LinkWriter writer = link.writer();
        writer.lock();
        try {
            int n = writer.write(src);
            // Never a negative number: the JDK adds up the results.
            return n == LinkStream.MOVED ? 0 : n;
        } finally {
            writer.unlock();
        }
    }

    /** True also when the link has been given back: the connection goes on, and a write takes nothing. */
    @Override
    public boolean isOpen() {
        return !link.isOver();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("closed by its channel");
    }
}
