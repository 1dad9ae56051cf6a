// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;

/** A channel's options as the socket adaptors need them: every failure is a {@link SocketException}. */
final class AdaptorOptions {

    private final NetworkChannel channel;

    AdaptorOptions(NetworkChannel channel) {
        this.channel = channel;
    }

    <T> void set(SocketOption<T> name, T value) throws SocketException {
        try {
            channel.setOption(name, value);
        } catch (IOException e) {
            throw SocketExceptions.translateToSocketException(e);
        }
    }

    <T> T get(SocketOption<T> name) throws SocketException {
        try {
            return channel.getOption(name);
        } catch (IOException e) {
            throw SocketExceptions.translateToSocketException(e);
        }
    }

    /**
     * Returns SO_OOBINLINE, which has no public constant, though the JDK's channels list it among their options.
     *
     * @throws UnsupportedOperationException if this channel does not list it
     */
    SocketOption<Boolean> oobInline() {
        for (SocketOption<?> option : channel.supportedOptions()) {
            if (option.name().equals("SO_OOBINLINE") && option.type() == Boolean.class) {
                @SuppressWarnings("unchecked") // its type() has just been checked
                SocketOption<Boolean> found = (SocketOption<Boolean>) option;
                return found;
            }
        }
        throw new UnsupportedOperationException("'SO_OOBINLINE' not supported");
    }
}
