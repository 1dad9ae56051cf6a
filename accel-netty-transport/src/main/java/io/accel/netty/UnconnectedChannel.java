// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.Anchor;
import io.accel.core.socket.StreamSocket;
import io.netty.channel.ChannelException;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.function.Function;

/**
 * A channel of the JDK's that was opened for a channel of Accel's, in non-blocking mode.
 *
 * @param stream the stream that will be connected
 * @param kernel the JDK's channel
 */
record UnconnectedChannel(StreamSocket stream, SocketChannel kernel) {
    /** Opens a channel of the JDK's. */
    interface Opening {
        SocketChannel open() throws IOException;
    }

    /** Opens one; throws a {@link ChannelException} if the kernel's socket cannot be opened. */
    static UnconnectedChannel open(Opening opening, Function<SocketChannel, Anchor> anchor) {
        Accel.ensureAvailability();
        try {
            SocketChannel channel = opening.open();
            channel.configureBlocking(false);
            return new UnconnectedChannel(new StreamSocket(Accel.accelerator(), anchor.apply(channel)), channel);
        } catch (IOException | UnsupportedOperationException e) {
            throw new ChannelException("cannot open a socket", e);
        }
    }
}
