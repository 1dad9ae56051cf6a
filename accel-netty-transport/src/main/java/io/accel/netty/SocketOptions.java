// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelException;
import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;

/** A channel's options, which are those of the kernel's socket, with Netty's exceptions. Thread-safe. */
final class SocketOptions {
    private final NetworkChannel kernel;

    SocketOptions(NetworkChannel kernel) {
        this.kernel = kernel;
    }

    <T> T get(SocketOption<T> option) {
        try {
            return kernel.getOption(option);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    <T> void set(SocketOption<T> option, T value) {
        try {
            kernel.setOption(option, value);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    <T> T get(AccelChannelOption<T> option) {
        return option.get(kernel);
    }

    <T> boolean set(AccelChannelOption<T> option, T value) {
        return option.set(kernel, value);
    }
}
