// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** The owner of the adaptor that a test looks at: the JDK's is the oracle for ours. */
enum Adaptor {
    JDK {
        @Override
        Socket over(SocketChannel channel) {
            return channel.socket();
        }

        @Override
        ServerSocket over(ServerSocketChannel channel) {
            return channel.socket();
        }
    },
    ACCEL {
        @Override
        Socket over(SocketChannel channel) {
            return AccelSocket.over(new JdkSocketHooks(channel));
        }

        @Override
        ServerSocket over(ServerSocketChannel channel) {
            return new AccelServerSocket(new JdkServerSocketHooks(channel));
        }
    };

    abstract Socket over(SocketChannel channel);

    abstract ServerSocket over(ServerSocketChannel channel);

    /** Leaves out the JDK's adaptor where its release does not yet do what {@link Socket} now specifies. */
    static List<Adaptor> thatFollowJdk25() {
        return Runtime.version().feature() >= 25 ? List.of(JDK, ACCEL) : List.of(ACCEL);
    }
}
