// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** The hooks over a channel of the JDK, so that our adaptor can be compared with the JDK's over the same channel. */
record JdkServerSocketHooks(ServerSocketChannel channel) implements ServerSocketHooks {

    @Override
    public SocketChannel acceptBlocking(long timeoutNanos) throws IOException {
        ServerSocket socket = channel.socket();
        socket.setSoTimeout(Math.toIntExact(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
        return socket.accept().getChannel();
    }

    @Override
    public InetSocketAddress localAddressOrNull() {
        return (InetSocketAddress) channel.socket().getLocalSocketAddress();
    }
}
