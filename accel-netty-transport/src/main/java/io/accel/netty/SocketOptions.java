package io.accel.netty;

import io.netty.channel.ChannelException;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where a channel's socket options are: in the kernel's socket, or, for an accelerated connection that has none, here, where
 * they are kept and reported. Thread-safe.
 */
final class SocketOptions {
    private final NetworkChannel kernel;
    private final Map<SocketOption<?>, Object> kept;

    private SocketOptions(NetworkChannel kernel, Map<SocketOption<?>, Object> kept) {
        this.kernel = kernel;
        this.kept = kept;
    }

    /** Those of a kernel socket. */
    static SocketOptions of(NetworkChannel kernel) {
        return new SocketOptions(kernel, null);
    }

    /**
     * Those of an accelerated connection without a kernel socket.
     *
     * @param ring the size of either ring, which is what buffers it
     */
    static SocketOptions kept(int ring) {
        Map<SocketOption<?>, Object> values = new ConcurrentHashMap<>();
        values.put(StandardSocketOptions.SO_SNDBUF, ring);
        values.put(StandardSocketOptions.SO_RCVBUF, ring);
        values.put(StandardSocketOptions.SO_KEEPALIVE, false);
        values.put(StandardSocketOptions.SO_REUSEADDR, false);
        values.put(StandardSocketOptions.SO_LINGER, -1);
        values.put(StandardSocketOptions.IP_TOS, 0);
        values.put(StandardSocketOptions.TCP_NODELAY, true);
        return new SocketOptions(null, values);
    }

    boolean isKernel() {
        return kernel != null;
    }

    <T> T get(SocketOption<T> option) {
        if (kernel == null) {
            return option.type().cast(kept.get(option));
        }
        try {
            return kernel.getOption(option);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    <T> void set(SocketOption<T> option, T value) {
        if (kernel == null) {
            kept.put(option, value);
            return;
        }
        try {
            kernel.setOption(option, value);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    <T> T get(AccelChannelOption<T> option) {
        return kernel == null ? get(option.socketOption()) : option.get(kernel);
    }

    <T> boolean set(AccelChannelOption<T> option, T value) {
        if (kernel != null) {
            return option.set(kernel, value);
        }
        set(option.socketOption(), value);
        return true;
    }
}
