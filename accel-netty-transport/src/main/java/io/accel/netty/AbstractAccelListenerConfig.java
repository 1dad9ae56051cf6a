// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.util.NetUtil;
import java.util.Map;

/** The options that all listeners have, whatever kind of socket they accept. Thread-safe. */
abstract class AbstractAccelListenerConfig extends DefaultChannelConfig {
    final SocketOptions options;

    private volatile int backlog = NetUtil.SOMAXCONN;

    AbstractAccelListenerConfig(AbstractAccelServerChannel channel, SocketOptions options) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        this.options = options;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.SO_BACKLOG);
    }

    @Override
    @SuppressWarnings("unchecked") // the option's type is in its declaration
    public <T> T getOption(ChannelOption<T> option) {
        if (SocketOptions.isJdks(option)) {
            return options.get(option);
        }
        return option.equals(ChannelOption.SO_BACKLOG) ? (T) (Integer) backlog : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (SocketOptions.isJdks(option)) {
            return options.set(option, value);
        }
        if (!option.equals(ChannelOption.SO_BACKLOG)) {
            return super.setOption(option, value);
        }
        backlog((Integer) value);
        return true;
    }

    @Override
    protected void autoReadCleared() {
        ((AbstractAccelServerChannel) channel).clearReadPending();
    }

    final int backlog() {
        return backlog;
    }

    final void backlog(int connections) {
        if (connections < 0) {
            throw new IllegalArgumentException("backlog: " + connections + " (expected: >= 0)");
        }
        backlog = connections;
    }
}
