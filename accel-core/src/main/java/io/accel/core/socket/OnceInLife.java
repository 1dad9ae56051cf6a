// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.OutOfLine;
import java.io.IOException;

/**
 * The work that comes once in the life of a connection, which the compiler compiles on its own: as a part of the program's accept, connect or
 * close it would be compiled anew for each method on the way there, and a young program has no processor to spare for that. Stateless.
 */
final class OnceInLife implements OutOfLine.Call {
    static final long CONNECTED = 0;
    static final long ACCEPTED = 1;
    /** The close of a connection that has no link. */
    static final long CLOSED = 2;

    private final StreamSocket socket;

    OnceInLife(StreamSocket socket) {
        this.socket = socket;
    }

    /**
     * Does one of them.
     *
     * @param work by an object whose field has the interface as its type
     * @param which {@link #ACCEPTED} or {@link #CLOSED}, which throw no checked exception
     */
    static void run(OutOfLine.Call work, long which) {
        try {
            int unused = OutOfLine.call(work, which);
        } catch (IOException e) {
            throw new IllegalStateException(e); // which any start has loaded
        }
    }

    @Override
    public int call(long which) throws IOException {
        if (which == CLOSED) {
            socket.closeWithoutLink();
        } else if (which == ACCEPTED) {
            socket.handover().accepted();
        } else {
            socket.handover().connected();
        }
        return 0;
    }
}
