package io.accel.nio.net;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** The output stream of an accelerated {@link AccelSocketImpl}. */
final class LinkOutput extends OutputStream {
    private final AccelSocketImpl socket;
    private final LinkTransfers transfers;

    LinkOutput(AccelSocketImpl socket, LinkTransfers transfers) {
        this.socket = socket;
        this.transfers = transfers;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len > 0) {
            transfers.write(b, off, len);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
