// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** The output stream of an {@link AccelSocketImpl}. */
final class SocketImplOutput extends OutputStream {
    private final AccelSocketImpl socket;

    SocketImplOutput(AccelSocketImpl socket) {
        this.socket = socket;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len > 0) {
            socket.write(b, off, len);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
