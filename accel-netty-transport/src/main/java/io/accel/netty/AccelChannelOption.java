// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelOption;
import java.net.SocketOption;

/**
 * The options of Accel's channels beside Netty's own. Those of {@code EpollChannelOption} that the JDK can set are here under the same
 * names. All but {@link #RECEIVE_SLICES} are options of the kernel's socket, and matter for what goes through it. A channel that does not
 * have an option refuses it, and Netty's bootstraps then log a warning that names it: so they do with the options of another transport.
 *
 * @param <T> the type of the value
 */
public final class AccelChannelOption<T> extends ChannelOption<T> {
    /**
     * Whether a handler is given slices of the receive ring instead of copies; true by default. A slice's space is the sender's again
     * when the slice is released. Slices hold at most a quarter of the ring, whatever a handler keeps: slices beyond that, and all
     * slices when the channel closes, are copied out, which the handler does not notice.
     *
     * <p>Slices are only given while the {@link ChannelOption#RECVBUF_ALLOCATOR} is not set, since a program that sets it
     * wants its own buffers. A peer that breaks the rules could change a slice's bytes until the slice is released. Where {@code
     * shm.group} admits peers that you do not trust to keep them, set this to false.
     */
    public static final ChannelOption<Boolean> RECEIVE_SLICES = valueOf(AccelChannelOption.class, "RECEIVE_SLICES");

    // The JDK's options go by their names here: a run-time image may lack the module that has the constants.

    /** {@code TCP_QUICKACK}: whether the kernel acknowledges at once, for as long as it likes to; of connections by TCP. */
    public static final ChannelOption<Boolean> TCP_QUICKACK = new AccelChannelOption<>("TCP_QUICKACK", Boolean.class);

    /** {@code TCP_KEEPIDLE}: after how many idle seconds {@link ChannelOption#SO_KEEPALIVE} sends its first probe; at least 1. */
    public static final ChannelOption<Integer> TCP_KEEPIDLE = new AccelChannelOption<>("TCP_KEEPIDLE", Integer.class);

    /** {@code TCP_KEEPINTVL}: how many seconds are between probes; at least 1. */
    public static final ChannelOption<Integer> TCP_KEEPINTVL =
            new AccelChannelOption<>("TCP_KEEPINTERVAL", Integer.class);

    /** {@code TCP_KEEPCNT}: after how many probes without an answer the connection is over; at least 1. */
    public static final ChannelOption<Integer> TCP_KEEPCNT = new AccelChannelOption<>("TCP_KEEPCOUNT", Integer.class);

    /**
     * {@code SO_REUSEPORT}: whether other sockets may be bound to the same address and port; of listeners and datagram channels, and set
     * before they are bound.
     */
    public static final ChannelOption<Boolean> SO_REUSEPORT = new AccelChannelOption<>("SO_REUSEPORT", Boolean.class);

    /** {@code SO_INCOMING_NAPI_ID}: the queue of the network device from which the kernel's last packet came; only to be read. */
    public static final ChannelOption<Integer> SO_INCOMING_NAPI_ID =
            new AccelChannelOption<>("SO_INCOMING_NAPI_ID", Integer.class);

    /** {@code IP_DONTFRAGMENT}: whether datagrams of the kernel's path may not be cut on their way; from JDK 19 on. */
    public static final ChannelOption<Boolean> IP_DONTFRAGMENT =
            new AccelChannelOption<>("IP_DONTFRAGMENT", Boolean.class);

    private final Class<T> type;

    @SuppressWarnings("deprecation") // the only constructor for options that are made on demand
    private AccelChannelOption(String jdksName, Class<T> type) {
        super(jdksName);
        this.type = type;
    }

    /**
     * Returns an option of the JDK's as a channel option, such as {@code ExtendedSocketOptions.SO_PEERCRED}. The channels take the options
     * that {@code NioChannelOption.of} makes just as well.
     *
     * @param option the JDK's option
     * @param <T> the type of its value
     * @return the option as a channel option
     */
    public static <T> ChannelOption<T> of(SocketOption<T> option) {
        return new AccelChannelOption<>(option.name(), option.type());
    }

    /** The type of the value. */
    Class<T> type() {
        return type;
    }
}
