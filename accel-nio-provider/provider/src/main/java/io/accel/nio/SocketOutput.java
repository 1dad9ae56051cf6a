// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/**
 * The stream that {@link AccelSocket#getOutputStream} returns. It takes no lock of its own, so a waiting write does not hold up a
 * read. Closing it closes the socket. Safe for use by many threads.
 */
final class SocketOutput extends OutputStream {

    private final SocketHooks hooks;
    private final OneByte oneByte = new OneByte();

    SocketOutput(SocketHooks hooks) {
        this.hooks = hooks;
    }

    @Override
    public void write(int b) throws IOException {
        byte[] one = oneByte.take();
        one[0] = (byte) b;
        try {
            write(one, 0, 1);
        } finally {
            oneByte.giveBack(one);
        }
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return;
        }
        SocketInput.requireOpenAndBlocking(hooks);
        hooks.writeBlocking(b, off, len);
    }

    @Override
    public void close() throws IOException {
        hooks.channel().close();
    }
}
