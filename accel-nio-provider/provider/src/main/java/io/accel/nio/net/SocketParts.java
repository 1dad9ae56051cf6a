// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.socket.PlainStream;
import io.accel.core.socket.StreamSocket;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketException;
import java.util.function.BooleanSupplier;

/** The parts of a connected socket to close. */
final class SocketParts implements Closeable, BooleanSupplier {
    private final PlainStream connected;
    private final KernelSocket kernel;
    /** Whether {@link #close} was called. Closing twice does no harm, so that any thread may miss it. */
    private boolean closed;

    SocketParts(PlainStream connected, KernelSocket kernel) {
        this.connected = connected;
        this.kernel = kernel;
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        // As in the JDK, the stream ends in order before the socket closes, and unread bytes reset it after
        // that.
        try {
            StreamSocket socket = connected.close(false, true);
            if (socket != null) {
                socket.closeBehindEnd(this);
            }
        } finally { // whatever fails there, the peer hears of the end
            kernel.close();
        }
    }

    /** Whether the close aborts. */
    @Override
    public boolean getAsBoolean() {
        try {
            return !kernel.isClosed() && kernel.getSoLinger() == 0;
        } catch (SocketException e) {
            return false; // another thread has closed the kernel's socket
        }
    }
}
