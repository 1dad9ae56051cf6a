// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Anchor;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.StreamChannels;
import io.accel.core.socket.StreamSocket;
import io.accel.core.socket.UnixAnchor;
import io.netty.channel.ChannelException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.function.Function;

/**
 * A connection that a program has made through {@code java.nio}, for a channel that takes it over.
 *
 * @param channel the program's channel, now in non-blocking mode
 * @param stream its stream, which may have a link already if the channel is Accel's
 * @param kernel the JDK's channel under it; the program's own if that is the JDK's
 */
record GivenConnection(SocketChannel channel, StreamSocket stream, SocketChannel kernel) {
    private static final String USE = "; use ";

    /** Takes a connection by TCP; throws as {@link AccelSocketChannel#AccelSocketChannel(SocketChannel)}. */
    static GivenConnection byTcp(SocketChannel channel) {
        return take(channel, false, ChannelAnchor::new);
    }

    /** Takes a Unix-domain connection; throws as {@link AccelDomainSocketChannel#AccelDomainSocketChannel(SocketChannel)}. */
    static GivenConnection byUnix(SocketChannel channel) {
        return take(channel, true, UnixAnchor::connecting);
    }

    private static GivenConnection take(SocketChannel channel, boolean unix, Function<SocketChannel, Anchor> anchors) {
        Objects.requireNonNull(channel, "connected");
        Accel.ensureAvailability();
        try {
            checkConnected(channel, unix);
            StreamChannels.Inside known = StreamChannels.of(channel);
            if (known == null && !JdkAccess.isKernels(channel)) {
                throw new IllegalArgumentException(channel.getClass().getName()
                        + " is neither Accel's nor the JDK's: no event loop can wait for it");
            }
            channel.configureBlocking(false);
            if (known != null) {
                return new GivenConnection(channel, known.stream(), known.kernel());
            }
            StreamSocket stream = new StreamSocket(Accel.accelerator(), anchors.apply(channel));
            try {
                stream.foreign();
            } catch (IOException e) {
                stream.close(() -> false, true);
                throw e;
            }
            return new GivenConnection(channel, stream, channel);
        } catch (IOException e) {
            throw failed(channel, e);
        }
    }

    private static void checkConnected(SocketChannel channel, boolean unix) throws IOException {
        if (!channel.isConnected() && channel.isOpen()) {
            throw new IllegalArgumentException(
                    channel + " is not connected; only a connected channel can be taken over");
        }
        Class<?> wanted = unix ? UnixDomainSocketAddress.class : InetSocketAddress.class;
        if (!wanted.isInstance(channel.getRemoteAddress())) {
            throw new IllegalArgumentException(channel
                    + (unix
                            ? " is no Unix-domain channel" + USE + AccelSocketChannel.class.getSimpleName()
                            : " is not connected by TCP" + USE + AccelDomainSocketChannel.class.getSimpleName()));
        }
    }

    private static ChannelException failed(SocketChannel channel, IOException why) {
        try {
            channel.close();
        } catch (IOException e) {
            why.addSuppressed(e);
        }
        return new ChannelException("cannot take over " + channel, why);
    }
}
