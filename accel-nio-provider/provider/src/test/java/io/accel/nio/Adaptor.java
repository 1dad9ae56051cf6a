// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

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
}
