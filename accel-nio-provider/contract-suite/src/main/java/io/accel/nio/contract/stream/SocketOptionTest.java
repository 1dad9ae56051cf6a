// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static java.net.StandardSocketOptions.IP_TOS;
import static java.net.StandardSocketOptions.SO_KEEPALIVE;
import static java.net.StandardSocketOptions.SO_LINGER;
import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.SO_REUSEPORT;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static java.net.StandardSocketOptions.TCP_NODELAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.KernelPair;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Socket options of channels, before and after they are connected. */
@Tag("stream")
class SocketOptionTest extends ContractSupport {
    private static final List<SocketOption<Boolean>> BOOLEANS =
            List.of(SO_KEEPALIVE, SO_REUSEADDR, SO_REUSEPORT, TCP_NODELAY);
    private static final List<SocketOption<Integer>> KEEPALIVE_TIMES = List.of(
            ExtendedSocketOptions.TCP_KEEPIDLE,
            ExtendedSocketOptions.TCP_KEEPINTERVAL,
            ExtendedSocketOptions.TCP_KEEPCOUNT);

    enum Role {
        UNCONNECTED,
        BOUND,
        CLIENT,
        ACCEPTED;
    }

    private SocketChannel channel(Role role) throws IOException {
        return switch (role) {
            case UNCONNECTED -> channel();
            case BOUND -> channel().bind(anyPort());
            case CLIENT -> pair().client();
            case ACCEPTED -> pair().server();
        };
    }

    @ParameterizedTest
    @EnumSource
    void supportedOptionsOfAChannel(Role role) throws IOException {
        assertThat(names(channel(role)))
                .containsExactlyInAnyOrder(
                        "IP_TOS",
                        "SO_INCOMING_NAPI_ID",
                        "SO_KEEPALIVE",
                        "SO_LINGER",
                        "SO_OOBINLINE",
                        "SO_RCVBUF",
                        "SO_REUSEADDR",
                        "SO_REUSEPORT",
                        "SO_SNDBUF",
                        "TCP_KEEPCOUNT",
                        "TCP_KEEPIDLE",
                        "TCP_KEEPINTERVAL",
                        "TCP_NODELAY",
                        "TCP_QUICKACK");
    }

    @Test
    void supportedOptionsOfAListener() throws IOException {
        for (ServerSocketChannel listener : List.of(closing(ServerSocketChannel.open()), listener())) {
            assertThat(names(listener))
                    .containsExactlyInAnyOrder(
                            "SO_INCOMING_NAPI_ID",
                            "SO_RCVBUF",
                            "SO_REUSEADDR",
                            "SO_REUSEPORT",
                            "TCP_KEEPCOUNT",
                            "TCP_KEEPIDLE",
                            "TCP_KEEPINTERVAL",
                            "TCP_QUICKACK");
        }
    }

    @Test
    void supportedOptionsMayNotBeModified() throws IOException {
        var options = channel().supportedOptions();
        assertThatThrownBy(options::clear).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @EnumSource
    void everySupportedOptionHasAValueOfItsType(Role role) throws IOException {
        SocketChannel channel = channel(role);
        for (SocketOption<?> option : channel.supportedOptions()) {
            assertThat(channel.getOption(option)).as(option.name()).isInstanceOf(option.type());
        }
    }

    @ParameterizedTest
    @EnumSource
    void switchesAreSwitchedOnAndOff(Role role) throws IOException {
        SocketChannel channel = channel(role);
        for (SocketOption<Boolean> option : BOOLEANS) {
            for (boolean value : new boolean[] {true, false, true}) {
                assertThat(channel.setOption(option, value)).isSameAs(channel);
                assertThat(channel.getOption(option)).as(option.name()).isEqualTo(value);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void timesAndCountsAreKept(Role role) throws IOException {
        SocketChannel channel = channel(role);
        for (SocketOption<Integer> option : KEEPALIVE_TIMES) {
            channel.setOption(option, 17);
            assertThat(channel.getOption(option)).as(option.name()).isEqualTo(17);
        }
        for (int linger : new int[] {0, 5, 65_535}) {
            assertThat(channel.setOption(SO_LINGER, linger).getOption(SO_LINGER))
                    .isEqualTo(linger);
        }
        assertThat(channel.setOption(SO_LINGER, 1 << 20).getOption(SO_LINGER))
                .as("the most there is")
                .isEqualTo(65_535);
        assertThat(channel.setOption(SO_LINGER, -7).getOption(SO_LINGER))
                .as("off")
                .isEqualTo(-1);
        assertThat(channel.setOption(IP_TOS, 0x10).getOption(IP_TOS)).isEqualTo(0x10);
        channel.setOption(ExtendedSocketOptions.TCP_QUICKACK, true);
    }

    @ParameterizedTest
    @EnumSource
    void bufferSizesAreHints(Role role) throws IOException {
        SocketChannel channel = channel(role);
        for (SocketOption<Integer> option : List.of(SO_SNDBUF, SO_RCVBUF)) {
            for (int size : new int[] {0, 1, 20_000, 1 << 30}) {
                channel.setOption(option, size);
                assertThat(channel.getOption(option)).as(option.name()).isPositive();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void badValuesAreRefused(Role role) throws IOException {
        SocketChannel channel = channel(role);
        assertThatThrownBy(() -> channel.setOption(SO_SNDBUF, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channel.setOption(SO_RCVBUF, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channel.setOption(IP_TOS, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channel.setOption(IP_TOS, 256)).isInstanceOf(IllegalArgumentException.class);
        for (SocketOption<Integer> option : KEEPALIVE_TIMES) {
            assertThatThrownBy(() -> channel.setOption(option, -1)).isInstanceOf(SocketException.class);
        }
        for (SocketOption<?> option : channel.supportedOptions()) {
            assertThatThrownBy(() -> channel.setOption(option, null))
                    .as(option.name())
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(channel.isOpen()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void optionsOfOtherChannelsAreRefused(Role role) throws IOException {
        SocketChannel channel = channel(role);
        assertThatThrownBy(() -> channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> channel.getOption(StandardSocketOptions.SO_BROADCAST))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> channel.getOption(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.setOption(null, true)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void readOnlyOptionIsNotSet() throws IOException {
        assertThatThrownBy(() -> channel().setOption(ExtendedSocketOptions.SO_INCOMING_NAPI_ID, 1))
                .isInstanceOf(SocketException.class);
    }

    @Test
    void optionsSetBeforeConnectAreKept() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel channel = channel();
        channel.setOption(TCP_NODELAY, true).setOption(SO_KEEPALIVE, true).setOption(SO_LINGER, 3);
        channel.setOption(IP_TOS, 0x08).setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 99);
        channel.connect(destination(listener));
        assertThat(channel.getOption(TCP_NODELAY)).isTrue();
        assertThat(channel.getOption(SO_KEEPALIVE)).isTrue();
        assertThat(channel.getOption(SO_LINGER)).isEqualTo(3);
        assertThat(channel.getOption(IP_TOS)).isEqualTo(0x08);
        assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(99);
    }

    @Test
    void listenersOptions() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open());
        assertThat(listener.getOption(SO_REUSEADDR)).as("by default").isTrue();
        assertThat(listener.setOption(SO_REUSEADDR, false)).isSameAs(listener);
        assertThat(listener.getOption(SO_REUSEADDR)).isFalse();
        assertThat(listener.setOption(SO_REUSEPORT, true).getOption(SO_REUSEPORT))
                .isTrue();
        assertThat(listener.setOption(SO_RCVBUF, 40_000).getOption(SO_RCVBUF)).isPositive();
        for (SocketOption<Integer> option : KEEPALIVE_TIMES) {
            assertThat(listener.setOption(option, 13).getOption(option)).isEqualTo(13);
        }
        for (SocketOption<?> option : listener.supportedOptions()) {
            assertThat(listener.getOption(option)).as(option.name()).isInstanceOf(option.type());
        }
        assertThatThrownBy(() -> listener.setOption(TCP_NODELAY, true))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> listener.getOption(SO_LINGER)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> listener.setOption(SO_RCVBUF, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> listener.getOption(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void acceptedChannelInheritsTheListenersKeepaliveTimes() throws IOException {
        ServerSocketChannel listener = listener();
        int value = 100;
        for (SocketOption<Integer> option : KEEPALIVE_TIMES) {
            listener.setOption(option, ++value);
        }
        SocketChannel server = pair(listener).server();
        for (SocketOption<Integer> option : KEEPALIVE_TIMES) {
            assertThat(server.getOption(option)).as(option.name()).isEqualTo(listener.getOption(option));
        }
    }

    @Test
    void acceptedChannelInheritsTheListenersBuffer() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open());
        listener.setOption(SO_RCVBUF, 40_000);
        SocketChannel server = pair(listener.bind(anyPort())).server();
        assertThat(server.getOption(SO_RCVBUF)).isEqualTo(listener.getOption(SO_RCVBUF));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acceptedChannelInheritsWhetherTheAddressAndThePortAreShared(boolean shared) throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open());
        listener.setOption(SO_REUSEADDR, shared).setOption(SO_REUSEPORT, shared);
        SocketChannel server = pair(listener.bind(anyPort())).server();
        assertThat(server.getOption(SO_REUSEADDR)).isEqualTo(shared);
        assertThat(server.getOption(SO_REUSEPORT)).isEqualTo(shared);
    }

    /** The kernel gives a connected socket larger buffers than an unconnected one, and cuts requested sizes to its own limits. */
    @ParameterizedTest(name = "asked for {0}")
    @ValueSource(ints = {0, 40_000, 4 << 20})
    void aConnectedChannelHasTheKernelsSendBuffer(int asked) throws IOException {
        SocketChannel client = KernelPair.enlarge(channel(), asked);
        int before = client.getOption(SO_SNDBUF);
        client.connect(destination(listener()));
        int connected = client.getOption(SO_SNDBUF);
        assertThat(connected).isEqualTo(KernelPair.sendBuffer(asked));
        if (asked == 0) {
            assertThat(connected).as("more than before").isGreaterThan(before);
        } else {
            assertThat(connected).as("what was asked for").isEqualTo(before);
        }
    }

    private static List<String> names(NetworkChannel channel) {
        Stream<SocketOption<?>> options = channel.supportedOptions().stream();
        return options.map(SocketOption::name).collect(Collectors.toList());
    }
}
