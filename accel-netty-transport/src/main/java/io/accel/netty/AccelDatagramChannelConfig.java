package io.accel.netty;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DefaultDatagramChannelConfig;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * The options of an {@link AccelDatagramChannel}: Netty's for datagrams, and the JDK's by {@link AccelChannelOption#of}. All
 * are those of the kernel's socket. The receive buffer is of 2,048 bytes unless {@link ChannelOption#RECVBUF_ALLOCATOR} says
 * otherwise; what is longer is cut off.
 *
 * <p>A port that is opened for others, too, with {@link ChannelOption#SO_REUSEADDR} or {@code SO_REUSEPORT}, is the kernel's:
 * it alone knows who gets what, so that such a channel is not accelerated. Thread-safe.
 */
public final class AccelDatagramChannelConfig extends DefaultDatagramChannelConfig {
    private final SocketOptions options;

    AccelDatagramChannelConfig(AccelDatagramChannel channel, DatagramChannel kernel) {
        super(channel, kernel.socket());
        this.options = new SocketOptions(kernel);
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        return option instanceof AccelChannelOption<T> accel ? options.get(accel) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        if (option instanceof AccelChannelOption<T> accel) {
            validate(option, value);
            return options.set(accel, value);
        }
        return super.setOption(option, value);
    }

    /** Null if none was set, in which case the system chooses. */
    @Override
    public NetworkInterface getNetworkInterface() {
        return options.get(StandardSocketOptions.IP_MULTICAST_IF);
    }

    /** The first address of {@link #getNetworkInterface}; null if there is none. */
    @Override
    public InetAddress getInterface() {
        NetworkInterface chosen = getNetworkInterface();
        return chosen == null ? null : chosen.inetAddresses().findFirst().orElse(null);
    }

    @SuppressWarnings("deprecation") // what takes its place is not there yet
    boolean isActiveOnRegistration() {
        return super.getOption(ChannelOption.DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION);
    }

    @Override
    protected void autoReadCleared() {
        ((AccelDatagramChannel) channel).clearReadPending();
    }
}
