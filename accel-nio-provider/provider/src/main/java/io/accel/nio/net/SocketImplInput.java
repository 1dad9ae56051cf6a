// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The input stream of an {@link AccelSocketImpl}. */
final class SocketImplInput extends InputStream {
    private final AccelSocketImpl socket;

    SocketImplInput(AccelSocketImpl socket) {
        this.socket = socket;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        return len == 0 ? 0 : socket.read(b, off, len);
    }

    @Override
    public int available() throws IOException {
        return socket.available();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
