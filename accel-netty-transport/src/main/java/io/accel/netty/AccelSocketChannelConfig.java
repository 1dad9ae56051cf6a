// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import java.net.StandardSocketOptions;
import java.util.Map;

/**
 * The options of an {@link AccelSocketChannel}: Netty's for sockets, and {@link AccelChannelOption}s. The kernel applies the options
 * of TCP where there is a kernel socket. An accepted accelerated connection has none, and only keeps them. Thread-safe.
 */
public final class AccelSocketChannelConfig extends AbstractAccelStreamConfig implements SocketChannelConfig {
    AccelSocketChannelConfig(AccelSocketChannel channel, SocketOptions options) {
        super(channel, options);
        setTcpNoDelay(true); // as all of Netty's transports do
        followSendBuffer();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_LINGER,
                ChannelOption.IP_TOS);
    }

    @Override
    @SuppressWarnings("unchecked") // each option's type is in its declaration
    public <T> T getOption(ChannelOption<T> option) {
        Object value;
        if (option.equals(ChannelOption.TCP_NODELAY)) {
            value = isTcpNoDelay();
        } else if (option.equals(ChannelOption.SO_KEEPALIVE)) {
            value = isKeepAlive();
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            value = isReuseAddress();
        } else if (option.equals(ChannelOption.SO_LINGER)) {
            value = getSoLinger();
        } else if (option.equals(ChannelOption.IP_TOS)) {
            value = getTrafficClass();
        } else {
            return super.getOption(option);
        }
        return (T) value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option.equals(ChannelOption.TCP_NODELAY)) {
            setTcpNoDelay((Boolean) value);
        } else if (option.equals(ChannelOption.SO_KEEPALIVE)) {
            setKeepAlive((Boolean) value);
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            setReuseAddress((Boolean) value);
        } else if (option.equals(ChannelOption.SO_LINGER)) {
            setSoLinger((Integer) value);
        } else if (option.equals(ChannelOption.IP_TOS)) {
            setTrafficClass((Integer) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    // ---- Accel's own

    /** Returns whether handlers are given slices of the receive ring; see {@link AccelChannelOption#RECEIVE_SLICES}. */
    public boolean isReceiveSlices() {
        return givesSlices();
    }

    /**
     * Sets {@link AccelChannelOption#RECEIVE_SLICES}; takes effect at the next read.
     *
     * @param slices whether handlers may be given slices
     * @return this
     */
    public AccelSocketChannelConfig setReceiveSlices(boolean slices) {
        givesSlices(slices);
        return this;
    }

    // ---- the socket's

    @Override
    public boolean isTcpNoDelay() {
        return options.get(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public AccelSocketChannelConfig setTcpNoDelay(boolean tcpNoDelay) {
        options.set(StandardSocketOptions.TCP_NODELAY, tcpNoDelay);
        return this;
    }

    @Override
    public int getSoLinger() {
        return options.get(StandardSocketOptions.SO_LINGER);
    }

    @Override
    public AccelSocketChannelConfig setSoLinger(int soLinger) {
        options.set(StandardSocketOptions.SO_LINGER, soLinger);
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return sendBufferSize();
    }

    @Override
    public AccelSocketChannelConfig setSendBufferSize(int sendBufferSize) {
        sendBufferSize(sendBufferSize);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return options.get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public AccelSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        options.set(StandardSocketOptions.SO_RCVBUF, receiveBufferSize);
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return options.get(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public AccelSocketChannelConfig setKeepAlive(boolean keepAlive) {
        options.set(StandardSocketOptions.SO_KEEPALIVE, keepAlive);
        return this;
    }

    @Override
    public int getTrafficClass() {
        return options.get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public AccelSocketChannelConfig setTrafficClass(int trafficClass) {
        options.set(StandardSocketOptions.IP_TOS, trafficClass);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return options.get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public AccelSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        options.set(StandardSocketOptions.SO_REUSEADDR, reuseAddress);
        return this;
    }

    /** Does nothing: no socket of the JDK's heeds preferences. */
    @Override
    public AccelSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowsHalfClosure();
    }

    @Override
    public AccelSocketChannelConfig setAllowHalfClosure(boolean allow) {
        allowsHalfClosure(allow);
        return this;
    }

    // ---- Netty's, with our own type

    @Override
    public AccelSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public AccelSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public AccelSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public AccelSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public AccelSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public AccelSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public AccelSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public AccelSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public AccelSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    @Deprecated
    public AccelSocketChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    @Deprecated
    public AccelSocketChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }
}
