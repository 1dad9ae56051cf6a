// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Shows one adapter what is inside the channels of another, so that it can go on with a connection that the other has made. An adapter
 * knows no other adapter, and the channels that programs have do not show their streams. Any thread.
 */
public final class StreamChannels {
    private static final Map<Class<?>, Function<SocketChannel, Inside>> KINDS = new ConcurrentHashMap<>();

    private StreamChannels() {}

    /**
     * The parts of a channel.
     *
     * @param stream its stream
     * @param kernel the JDK's channel, which is the anchor of the stream
     */
    public record Inside(StreamSocket stream, SocketChannel kernel) {}

    /**
     * Lets the channels of a class be looked into.
     *
     * @param kind the class, itself and not a subclass of it
     * @param inside tells the parts of a channel of that class
     */
    public static void register(Class<? extends SocketChannel> kind, Function<SocketChannel, Inside> inside) {
        KINDS.put(kind, inside);
    }

    /**
     * Looks into a channel.
     *
     * @param channel any channel
     * @return its parts; null if it is no channel of an adapter
     */
    public static Inside of(SocketChannel channel) {
        Function<SocketChannel, Inside> known = KINDS.get(channel.getClass());
        return known == null ? null : known.apply(channel);
    }
}
