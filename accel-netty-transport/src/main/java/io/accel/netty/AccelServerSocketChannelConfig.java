// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import java.net.StandardSocketOptions;
import java.util.Map;

/**
 * The options of an {@link AccelServerSocketChannel}: Netty's for listeners, and the JDK's through {@link AccelChannelOption#of}.
 * Thread-safe.
 */
public final class AccelServerSocketChannelConfig extends AbstractAccelListenerConfig
        implements ServerSocketChannelConfig {
    AccelServerSocketChannelConfig(AccelServerSocketChannel channel, SocketOptions options) {
        super(channel, options);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.SO_RCVBUF, ChannelOption.SO_REUSEADDR);
    }

    @Override
    @SuppressWarnings("unchecked") // each option's type is in its declaration
    public <T> T getOption(ChannelOption<T> option) {
        Object value;
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            value = getReceiveBufferSize();
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            value = isReuseAddress();
        } else {
            return super.getOption(option);
        }
        return (T) value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            setReceiveBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            setReuseAddress((Boolean) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public int getBacklog() {
        return backlog();
    }

    @Override
    public AccelServerSocketChannelConfig setBacklog(int connections) {
        backlog(connections);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return options.get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public AccelServerSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        options.set(StandardSocketOptions.SO_REUSEADDR, reuseAddress);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return options.get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public AccelServerSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        options.set(StandardSocketOptions.SO_RCVBUF, receiveBufferSize);
        return this;
    }

    /** Does nothing: no socket of the JDK's heeds preferences. */
    @Override
    public AccelServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    // ---- Netty's, with our own type

    @Override
    public AccelServerSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public AccelServerSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public AccelServerSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public AccelServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public AccelServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public AccelServerSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    @Deprecated
    public AccelServerSocketChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    @Deprecated
    public AccelServerSocketChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }

    @Override
    public AccelServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public AccelServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }
}
