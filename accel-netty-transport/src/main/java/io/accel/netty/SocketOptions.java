// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.StreamSocket;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;

/** A channel's options, which are those of the kernel's socket, with Netty's exceptions. Thread-safe. */
final class SocketOptions {
    private final NetworkChannel kernel;
    /** The stream whose anchor the channel is; null if it is none's. */
    private final StreamSocket stream;

    SocketOptions(NetworkChannel kernel) {
        this(kernel, null);
    }

    SocketOptions(NetworkChannel kernel, StreamSocket stream) {
        this.kernel = kernel;
        this.stream = stream;
    }

    <T> T get(SocketOption<T> option) {
        try {
            if (stream == null) {
                return kernel.getOption(option);
            }
            synchronized (stream.optionsMonitor()) {
                return kernel.getOption(option);
            }
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    <T> void set(SocketOption<T> option, T value) {
        try {
            if (stream == null) {
                kernel.setOption(option, value);
            } else {
                change(stream, option, value);
            }
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    /** A channel that is closed leaves its options as they are, although the kernel's may be open for a moment. */
    private <T> void change(StreamSocket of, SocketOption<T> option, T value) throws IOException {
        synchronized (of.optionsMonitor()) {
            if (of.isClosed()) {
                throw new ClosedChannelException();
            }
            kernel.setOption(option, value);
        }
    }

    /** Whether an option stands for one of the JDK's, which the channel may have or not. */
    static boolean isJdks(ChannelOption<?> option) {
        return option instanceof AccelChannelOption || option instanceof NioChannelOption;
    }

    /** The value of an option that {@linkplain #isJdks is the JDK's}; null if the channel has no such option. */
    <T> T get(ChannelOption<T> option) {
        SocketOption<T> jdks = find(option);
        return jdks == null ? null : get(jdks);
    }

    /** Sets an option that {@linkplain #isJdks is the JDK's}; returns false if the channel has no such option. */
    <T> boolean set(ChannelOption<T> option, T value) {
        SocketOption<T> jdks = find(option);
        if (jdks == null) {
            return false;
        }
        set(jdks, value);
        return true;
    }

    /** Finds an option by its name, which is all that the option of another transport shows of it. */
    @SuppressWarnings(
            "unchecked") // an option that tells its type has the one that is found, and the others are named after it
    private <T> SocketOption<T> find(ChannelOption<T> option) {
        for (SocketOption<?> each : kernel.supportedOptions()) {
            if (each.name().equals(option.name())
                    && !(option instanceof AccelChannelOption<?> ours && each.type() != ours.type())
                    && isUsable(each)) {
                return (SocketOption<T>) each;
            }
        }
        return null;
    }

    private boolean isUsable(SocketOption<?> option) {
        // A listener lists IP_TOS, and then fails.
        return !(kernel instanceof ServerSocketChannel && option.equals(StandardSocketOptions.IP_TOS));
    }
}
