package io.accel.nio.net;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The input stream of an accelerated {@link AccelSocketImpl}. */
final class LinkInput extends InputStream {
    private final AccelSocketImpl socket;
    private final LinkTransfers transfers;

    LinkInput(AccelSocketImpl socket, LinkTransfers transfers) {
        this.socket = socket;
        this.transfers = transfers;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        return len == 0 ? 0 : transfers.read(b, off, len, socket.timeoutMillis());
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
