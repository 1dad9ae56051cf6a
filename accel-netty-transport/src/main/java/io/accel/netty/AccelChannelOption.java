// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;

/**
 * The options of Accel's channels beside Netty's own.
 *
 * @param <T> the type of the value
 */
public final class AccelChannelOption<T> extends ChannelOption<T> {
    /**
     * Whether a handler is given slices of the receive ring instead of copies; true by default. A slice's space is the sender's again
     * when the slice is released. Slices hold at most a quarter of the ring, whatever a handler keeps: slices beyond that, and all
     * slices when the channel closes, are copied out, which the handler does not notice.
     *
     * <p>Slices are only given while the {@link ChannelOption#RECVBUF_ALLOCATOR} is not set, since a program that sets it
     * wants its own buffers. A peer that breaks the rules could change a slice's bytes until the slice is released. Where {@code
     * shm.group} admits peers that you do not trust to keep them, set this to false.
     */
    public static final ChannelOption<Boolean> RECEIVE_SLICES = valueOf(AccelChannelOption.class, "RECEIVE_SLICES");

    private final SocketOption<T> option;

    @SuppressWarnings("deprecation") // the only constructor for options that are made on demand
    private AccelChannelOption(SocketOption<T> option) {
        super(option.name());
        this.option = option;
    }

    /**
     * Returns an option of the JDK's as a channel option, such as {@code ExtendedSocketOptions.TCP_KEEPIDLE}. On an accelerated
     * connection without a kernel socket the option is kept and reported, and has no effect.
     *
     * @param option the JDK's option
     * @param <T> the type of its value
     * @return the option as a channel option
     */
    public static <T> ChannelOption<T> of(SocketOption<T> option) {
        return new AccelChannelOption<>(option);
    }

    /** Sets the option on a channel; returns false if the channel has no such option. */
    boolean set(NetworkChannel channel, T value) {
        if (!isSupported(channel)) {
            return false;
        }
        try {
            channel.setOption(option, value);
            return true;
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    /** The option's value on a channel; null if the channel has no such option. */
    T get(NetworkChannel channel) {
        if (!isSupported(channel)) {
            return null;
        }
        try {
            return channel.getOption(option);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    private boolean isSupported(NetworkChannel channel) {
        // A listener lists IP_TOS, and then fails.
        return channel.supportedOptions().contains(option)
                && !(channel instanceof ServerSocketChannel && option.equals(StandardSocketOptions.IP_TOS));
    }
}
