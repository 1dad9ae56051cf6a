// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramChannelConfig;
import io.netty.channel.socket.DefaultDatagramChannelConfig;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * The options of an {@link AccelDatagramChannel}: Netty's for datagrams, and the JDK's through {@link AccelChannelOption#of}. All are
 * options of the kernel's socket. The receive buffer has 2,048 bytes unless {@link ChannelOption#RECVBUF_ALLOCATOR} says otherwise; a
 * longer datagram is cut off.
 *
 * <p>A port that is shared with other sockets, through {@link ChannelOption#SO_REUSEADDR} or {@code SO_REUSEPORT}, stays with the
 * kernel: only the kernel knows which socket gets a datagram. So such a channel is not accelerated. Thread-safe.
 */
public final class AccelDatagramChannelConfig extends DefaultDatagramChannelConfig {
    private final SocketOptions options;

    AccelDatagramChannelConfig(AccelDatagramChannel channel, DatagramChannel kernel) {
        super(channel, kernel.socket());
        this.options = new SocketOptions(kernel);
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        return SocketOptions.isJdks(option) ? options.get(option) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        if (SocketOptions.isJdks(option)) {
            validate(option, value);
            boolean isSet = options.set(option, value);
            told(StandardSocketOptions.IP_MULTICAST_IF); // it may be that one
            return isSet;
        }
        return super.setOption(option, value);
    }

    private void told(SocketOption<?> option) {
        ((AccelDatagramChannel) channel).optionSet(option);
    }

    @Override
    public DatagramChannelConfig setNetworkInterface(NetworkInterface chosen) {
        DatagramChannelConfig unused = super.setNetworkInterface(chosen);
        told(StandardSocketOptions.IP_MULTICAST_IF);
        return this;
    }

    @Override
    public DatagramChannelConfig setInterface(InetAddress address) {
        DatagramChannelConfig unused = super.setInterface(address);
        told(StandardSocketOptions.IP_MULTICAST_IF);
        return this;
    }

    @Override
    public DatagramChannelConfig setLoopbackModeDisabled(boolean disabled) {
        DatagramChannelConfig unused = super.setLoopbackModeDisabled(disabled);
        told(StandardSocketOptions.IP_MULTICAST_LOOP);
        return this;
    }

    /** Returns the interface; null if none was set, in which case the system chooses. */
    @Override
    public NetworkInterface getNetworkInterface() {
        return options.get(StandardSocketOptions.IP_MULTICAST_IF);
    }

    /** Returns the first address of {@link #getNetworkInterface}; null if there is none. */
    @Override
    public InetAddress getInterface() {
        NetworkInterface chosen = getNetworkInterface();
        return chosen == null ? null : chosen.inetAddresses().findFirst().orElse(null);
    }

    @SuppressWarnings("deprecation") // there is no replacement yet
    boolean isActiveOnRegistration() {
        return super.getOption(ChannelOption.DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION);
    }

    @Override
    protected void autoReadCleared() {
        ((AccelDatagramChannel) channel).clearReadPending();
    }
}
