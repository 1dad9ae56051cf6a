// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The other end of {@link FileTransfers}, without a file: takes the bytes of one client at a time and acknowledges them, or sends
 * as many itself. Arguments: {@code size} (of a file) and {@code address}, if that is not the loopback interface.
 */
public final class FilePeer {
    /** Before a file: it follows. */
    static final byte TAKE = 1;
    /** The peer sends one. */
    static final byte GIVE = 2;

    private static final int BUFFER_BYTES = 256 * 1024;

    private final int size;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

    private FilePeer(int size) {
        this.size = size;
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        Control.serveInBackground();
        FilePeer peer = new FilePeer(parameters.number("size"));
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(parameters.anyPort());
            Event.named("ready").with("port", listener.socket().getLocalPort()).send();
            while (true) {
                try (SocketChannel channel = listener.accept()) {
                    peer.serve(channel);
                }
            }
        }
    }

    private void serve(SocketChannel channel) throws IOException {
        while (channel.read(buffer.clear().limit(1)) > 0) {
            if (buffer.get(0) == TAKE) {
                take(channel);
            } else {
                give(channel);
            }
        }
    }

    private void take(SocketChannel channel) throws IOException {
        int left = size;
        while (left > 0) {
            int n = channel.read(buffer.clear().limit(Math.min(left, BUFFER_BYTES)));
            if (n < 0) {
                throw new IOException("the client closed with " + left + " bytes of a file to come");
            }
            left -= n;
        }
        channel.write(buffer.clear().limit(1));
    }

    private void give(SocketChannel channel) throws IOException {
        int left = size;
        while (left > 0) {
            left -= channel.write(buffer.clear().limit(Math.min(left, BUFFER_BYTES)));
        }
    }
}
