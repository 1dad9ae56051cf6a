// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static java.net.StandardSocketOptions.IP_MULTICAST_IF;
import static java.net.StandardSocketOptions.IP_MULTICAST_LOOP;
import static java.net.StandardSocketOptions.IP_MULTICAST_TTL;
import static java.net.StandardSocketOptions.IP_TOS;
import static java.net.StandardSocketOptions.SO_BROADCAST;
import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.SO_REUSEPORT;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Options of channels for datagrams, whatever state the channel is in. */
@Tag("datagram")
class DatagramOptionTest extends DatagramSupport {
    private static final List<SocketOption<Boolean>> SWITCHES =
            List.of(SO_REUSEADDR, SO_REUSEPORT, SO_BROADCAST, IP_MULTICAST_LOOP);

    enum Role {
        NEW,
        NEW_IPV4,
        BOUND,
        WARM,
        CONNECTED;
    }

    private DatagramChannel channel(Role role) throws IOException {
        return switch (role) {
            case NEW -> datagrams();
            case NEW_IPV4 -> closing(DatagramChannel.open(StandardProtocolFamily.INET));
            case BOUND -> bound();
            case WARM -> ends().left();
            case CONNECTED -> connectedEnds().left();
        };
    }

    @ParameterizedTest
    @EnumSource
    void supportedOptions(Role role) throws IOException {
        assertThat(channel(role).supportedOptions().stream().<String>map(SocketOption::name))
                .contains(
                        "IP_MULTICAST_IF",
                        "IP_MULTICAST_LOOP",
                        "IP_MULTICAST_TTL",
                        "IP_TOS",
                        "SO_BROADCAST",
                        "SO_INCOMING_NAPI_ID",
                        "SO_RCVBUF",
                        "SO_REUSEADDR",
                        "SO_REUSEPORT",
                        "SO_SNDBUF")
                .hasSize(Runtime.version().feature() < 19 ? 10 : 11);
    }

    @Test
    void supportedOptionsMayNotBeModified() throws IOException {
        var options = datagrams().supportedOptions();
        assertThatThrownBy(options::clear).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @EnumSource
    void everyOptionHasAValueOfItsType(Role role) throws IOException {
        DatagramChannel channel = channel(role);
        for (SocketOption<?> option : channel.supportedOptions()) {
            Object value = channel.getOption(option);
            if (option == IP_MULTICAST_IF) {
                assertThat(value).as("the system chooses").isNull();
            } else {
                assertThat(value).as(option.name()).isInstanceOf(option.type());
            }
        }
    }

    @Test
    void defaults() throws IOException {
        DatagramChannel channel = datagrams();
        assertThat(channel.getOption(SO_REUSEADDR)).isFalse();
        assertThat(channel.getOption(SO_REUSEPORT)).isFalse();
        assertThat(channel.getOption(SO_BROADCAST)).isFalse();
        assertThat(channel.getOption(IP_TOS)).isZero();
        assertThat(channel.getOption(IP_MULTICAST_TTL)).isEqualTo(1);
        assertThat(channel.getOption(IP_MULTICAST_LOOP)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void switchesAreSwitchedOnAndOff(Role role) throws IOException {
        DatagramChannel channel = channel(role);
        for (SocketOption<Boolean> option : SWITCHES) {
            for (boolean value : new boolean[] {true, false, true}) {
                assertThat(channel.setOption(option, value)).isSameAs(channel);
                assertThat(channel.getOption(option)).as(option.name()).isEqualTo(value);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void numbersAreKept(Role role) throws IOException {
        DatagramChannel channel = channel(role);
        for (int ttl : new int[] {0, 1, 17, 255}) {
            assertThat(channel.setOption(IP_MULTICAST_TTL, ttl).getOption(IP_MULTICAST_TTL))
                    .isEqualTo(ttl);
        }
        for (int tos : new int[] {0, 0x08, 0x10, 0x20}) {
            assertThat(channel.setOption(IP_TOS, tos).getOption(IP_TOS)).isEqualTo(tos);
        }
        NetworkInterface loopback = loopback();
        assertThat(channel.setOption(IP_MULTICAST_IF, loopback).getOption(IP_MULTICAST_IF))
                .isEqualTo(loopback);
    }

    @ParameterizedTest
    @EnumSource
    void bufferSizesAreHints(Role role) throws IOException {
        DatagramChannel channel = channel(role);
        for (SocketOption<Integer> option : List.of(SO_SNDBUF, SO_RCVBUF)) {
            for (int size : new int[] {0, 1, 20_000, 1 << 30}) {
                channel.setOption(option, size);
                assertThat(channel.getOption(option)).as(option.name()).isPositive();
            }
            channel.setOption(option, 40_000);
            assertThat(channel.getOption(option)).as(option.name()).isGreaterThanOrEqualTo(40_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void badValuesAreRefused(Role role) throws IOException {
        DatagramChannel channel = channel(role);
        for (SocketOption<Integer> option : List.of(SO_SNDBUF, SO_RCVBUF, IP_TOS, IP_MULTICAST_TTL)) {
            assertThatThrownBy(() -> channel.setOption(option, -1)).isInstanceOf(IllegalArgumentException.class);
        }
        for (SocketOption<Integer> option : List.of(IP_TOS, IP_MULTICAST_TTL)) {
            assertThatThrownBy(() -> channel.setOption(option, 256)).isInstanceOf(IllegalArgumentException.class);
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
        DatagramChannel channel = channel(role);
        assertThatThrownBy(() -> channel.setOption(StandardSocketOptions.TCP_NODELAY, true))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> channel.getOption(StandardSocketOptions.SO_LINGER))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> channel.getOption(StandardSocketOptions.SO_KEEPALIVE))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> channel.getOption(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.setOption(null, true)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void readOnlyOptionIsNotSet() throws IOException {
        assertThatThrownBy(() -> datagrams().setOption(jdk.net.ExtendedSocketOptions.SO_INCOMING_NAPI_ID, 1))
                .isInstanceOf(SocketException.class);
    }

    @Test
    void optionsOutliveBindConnectAndDisconnect() throws IOException {
        DatagramChannel channel = datagrams();
        channel.setOption(IP_TOS, 0x10).setOption(IP_MULTICAST_TTL, 9).setOption(SO_BROADCAST, true);
        channel.setOption(SO_RCVBUF, 50_000).setOption(IP_MULTICAST_IF, loopback());
        int receiveBuffer = channel.getOption(SO_RCVBUF);
        DatagramChannel peer = bound();
        channel.bind(anyPort()).connect(addressOf(peer));
        warm(channel, peer);
        channel.disconnect();
        assertThat(channel.getOption(IP_TOS)).isEqualTo(0x10);
        assertThat(channel.getOption(IP_MULTICAST_TTL)).isEqualTo(9);
        assertThat(channel.getOption(SO_BROADCAST)).isTrue();
        assertThat(channel.getOption(SO_RCVBUF)).isEqualTo(receiveBuffer);
        assertThat(channel.getOption(IP_MULTICAST_IF)).isEqualTo(loopback());
    }
}
