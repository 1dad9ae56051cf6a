// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketImpl;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Reads from a socket whose input was shut down. The JDK's own fields say that the input has ended, while the kernel
 * goes on taking bytes, and gives them to any reader; it lets no reader wait there. So the fields are cleared for one
 * read, which is then like any other: a close of the socket waits for it.
 */
final class ShutInput {
    /** This field says that the input was shut down. */
    private static final String SHUT = "isInputClosed";
    /** This field says that a read has met the end, perhaps the end of a shut input. */
    private static final String ENDED = "readEOF";

    private ShutInput() {}

    /** As {@link JdkAccess#readShut}. */
    static int read(Object socket, ByteBuffer dst) throws IOException {
        boolean isChannel = socket instanceof SocketChannel;
        VarHandle shut = isChannel ? Holder.OF_CHANNEL : Holder.OF_SOCKET;
        if (shut == null) {
            return 0;
        }
        Object owner = isChannel ? socket : KernelSockets.platform((SocketImpl) socket);
        shut.setVolatile(owner, false);
        if (!isChannel && Holder.ENDED_OF_SOCKET != null) {
            Holder.ENDED_OF_SOCKET.setVolatile(owner, false);
        }
        try {
            int n = isChannel ? ((SocketChannel) socket).read(dst) : read((SocketImpl) owner, dst);
            return Math.max(0, n);
        } finally {
            shut.setVolatile(owner, true);
        }
    }

    private static int read(SocketImpl socket, ByteBuffer dst) throws IOException {
        byte[] bytes = new byte[dst.remaining()];
        int n = KernelSockets.input(socket).read(bytes);
        dst.put(bytes, 0, Math.max(0, n));
        return n;
    }

    private static final class Holder {
        static final VarHandle OF_CHANNEL = find("sun.nio.ch.SocketChannelImpl", SHUT);
        static final VarHandle OF_SOCKET = find("sun.nio.ch.NioSocketImpl", SHUT);
        static final VarHandle ENDED_OF_SOCKET = find("sun.nio.ch.NioSocketImpl", ENDED);

        private Holder() {}

        /** Returns null where this JVM does not show the field. */
        private static VarHandle find(String type, String field) {
            try {
                MethodHandles.Lookup lookup = TrustedLookup.orRefused("no trusted lookup");
                return lookup.findVarHandle(TrustedLookup.internal(type), field, boolean.class);
            } catch (Throwable e) {
                Log.of(ShutInput.class)
                        .get()
                        .log(
                                System.Logger.Level.DEBUG,
                                "nothing can be read from a " + type + " whose input is shut",
                                e);
                return null;
            }
        }
    }
}
