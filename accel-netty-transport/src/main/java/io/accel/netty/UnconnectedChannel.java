// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.Anchor;
import io.accel.core.socket.StreamSocket;
import io.netty.channel.ChannelException;
import java.nio.channels.SocketChannel;
import java.util.function.Function;

/**
 * A channel of the JDK's that was opened for a channel of Accel's, in non-blocking mode.
 *
 * @param stream the stream that will be connected
 * @param kernel the JDK's channel
 */
record UnconnectedChannel(StreamSocket stream, SocketChannel kernel) {
    /** Opens one; throws a {@link ChannelException} if the kernel's socket cannot be opened. */
    static UnconnectedChannel open(KernelOpening<SocketChannel> opening, Function<SocketChannel, Anchor> anchor) {
        SocketChannel channel = KernelOpening.nonBlocking("a socket", opening);
        return new UnconnectedChannel(new StreamSocket(Accel.accelerator(), anchor.apply(channel)), channel);
    }
}
