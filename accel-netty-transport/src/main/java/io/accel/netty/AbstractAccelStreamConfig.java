// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import java.net.StandardSocketOptions;
import java.util.Map;

/** The options that all streams have, whatever kind of socket carries them. Thread-safe. */
abstract class AbstractAccelStreamConfig extends DefaultChannelConfig {
    final SocketOptions options;

    private volatile boolean allowHalfClosure;
    private volatile boolean receiveSlices = true;
    private volatile boolean ownReceiveBuffers;
    private volatile int maxBytesPerGatheringWrite = Integer.MAX_VALUE;

    AbstractAccelStreamConfig(AbstractAccelSocketChannel channel, SocketOptions options) {
        super(channel);
        this.options = options;
        ownReceiveBuffers = false; // the superclass's constructor has set the default
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.SO_RCVBUF,
                ChannelOption.SO_SNDBUF,
                ChannelOption.ALLOW_HALF_CLOSURE,
                AccelChannelOption.RECEIVE_SLICES);
    }

    @Override
    @SuppressWarnings("unchecked") // each option's type is in its declaration
    public <T> T getOption(ChannelOption<T> option) {
        if (SocketOptions.isJdks(option)) {
            return options.get(option);
        }
        Object value;
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            value = options.get(StandardSocketOptions.SO_RCVBUF);
        } else if (option.equals(ChannelOption.SO_SNDBUF)) {
            value = sendBufferSize();
        } else if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            value = allowHalfClosure;
        } else if (option.equals(AccelChannelOption.RECEIVE_SLICES)) {
            value = receiveSlices;
        } else {
            return super.getOption(option);
        }
        return (T) value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (SocketOptions.isJdks(option)) {
            return options.set(option, value);
        }
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            options.set(StandardSocketOptions.SO_RCVBUF, (Integer) value);
        } else if (option.equals(ChannelOption.SO_SNDBUF)) {
            sendBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            allowsHalfClosure((Boolean) value);
        } else if (option.equals(AccelChannelOption.RECEIVE_SLICES)) {
            givesSlices((Boolean) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public ChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        ownReceiveBuffers = true;
        return this;
    }

    @Override
    protected void autoReadCleared() {
        ((AbstractAccelSocketChannel) channel).clearReadPending();
    }

    final boolean givesSlices() {
        return receiveSlices && !ownReceiveBuffers;
    }

    final void givesSlices(boolean slices) {
        receiveSlices = slices;
    }

    final boolean allowsHalfClosure() {
        return allowHalfClosure;
    }

    final void allowsHalfClosure(boolean allow) {
        allowHalfClosure = allow;
    }

    final int maxBytesPerGatheringWrite() {
        return maxBytesPerGatheringWrite;
    }

    final void maxBytesPerGatheringWrite(int bytes) {
        maxBytesPerGatheringWrite = bytes;
    }

    final int sendBufferSize() {
        return options.get(StandardSocketOptions.SO_SNDBUF);
    }

    final void sendBufferSize(int bytes) {
        options.set(StandardSocketOptions.SO_SNDBUF, bytes);
        followSendBuffer();
    }

    final void followSendBuffer() {
        // Twice the buffer, as the kernel may send faster than the program provides bytes.
        int twice = sendBufferSize() << 1;
        if (twice > 0) {
            maxBytesPerGatheringWrite = twice;
        }
    }
}
