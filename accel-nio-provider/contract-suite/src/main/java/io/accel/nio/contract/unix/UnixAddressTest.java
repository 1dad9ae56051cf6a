// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Bytes;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.Files;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The addresses, options and refusals of Unix-domain streams, which are the kernel's on any path. */
@Tag("unix")
class UnixAddressTest extends UnixSupport {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientHasNoNameAndAServerItsFiles(boolean hasTalked) throws IOException {
        ServerSocketChannel listener = unixListener();
        Pair pair = hasTalked ? unixPairThatHasTalked(listener) : unixPair(listener);
        UnixDomainSocketAddress unnamed = UnixDomainSocketAddress.of("");
        assertThat(pair.client().getLocalAddress()).isEqualTo(unnamed);
        assertThat(pair.client().getRemoteAddress()).isEqualTo(listener.getLocalAddress());
        assertThat(pair.server().getLocalAddress()).isEqualTo(listener.getLocalAddress());
        assertThat(pair.server().getRemoteAddress()).isEqualTo(unnamed);
    }

    @Test
    void aClientThatBindsHasAName() throws IOException {
        ServerSocketChannel listener = unixListener();
        UnixDomainSocketAddress own = freshAddress();
        SocketChannel client = unixChannel().bind(own);
        client.connect(listener.getLocalAddress());
        SocketChannel server = closing(listener.accept());
        assertThat(client.getLocalAddress()).isEqualTo(own);
        assertThat(server.getRemoteAddress()).isEqualTo(own);
        talk(new Pair(client, server));
        talk(new Pair(client, server));
        assertThat(server.getRemoteAddress()).isEqualTo(own);
    }

    /** The text is the JDK's, which differs from release to release. */
    @Test
    void theTextIsTheJdks() throws IOException {
        ServerSocketChannel listener = unixListener();
        Pair pair = unixPairThatHasTalked(listener);
        ServerSocketChannel jdks =
                closing(JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX));
        jdks.bind(freshAddress());
        SocketChannel jdksClient = closing(JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX));
        jdksClient.connect(jdks.getLocalAddress());
        SocketChannel jdksServer = closing(jdks.accept());
        String from = jdks.getLocalAddress().toString();
        String to = listener.getLocalAddress().toString();
        assertThat(pair.client().toString()).isEqualTo(jdksClient.toString().replace(from, to));
        assertThat(pair.server().toString()).isEqualTo(jdksServer.toString().replace(from, to));
        pair.server().shutdownInput();
        jdksServer.shutdownInput();
        pair.server().shutdownOutput();
        jdksServer.shutdownOutput();
        assertThat(pair.server().toString()).isEqualTo(jdksServer.toString().replace(from, to));
    }

    @Test
    void optionsAreTheKernels() throws IOException {
        Pair pair = unixPairThatHasTalked();
        SocketChannel client = pair.client();
        assertThat(client.supportedOptions())
                .containsExactlyInAnyOrderElementsOf(Set.of(
                        StandardSocketOptions.SO_SNDBUF,
                        StandardSocketOptions.SO_RCVBUF,
                        StandardSocketOptions.SO_LINGER,
                        ExtendedSocketOptions.SO_PEERCRED));
        assertThatThrownBy(() -> client.getOption(StandardSocketOptions.TCP_NODELAY))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> client.setOption(StandardSocketOptions.IP_TOS, 0))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(client.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(-1);
        client.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 16);
        assertThat(client.getOption(StandardSocketOptions.SO_SNDBUF)).isGreaterThanOrEqualTo(1 << 16);
        UnixDomainPrincipal peer = pair.server().getOption(ExtendedSocketOptions.SO_PEERCRED);
        assertThat(peer.user()).isEqualTo(Files.getOwner(dir()));
        assertThat(client.getOption(ExtendedSocketOptions.SO_PEERCRED)).isEqualTo(peer);
        assertThatThrownBy(client::socket).isInstanceOf(UnsupportedOperationException.class);
    }

    /** The kernel does not linger on such a socket, and does not reset because of the option. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lingeringForNoTimeIsNoReset(boolean hasTalked) throws IOException {
        Pair pair = unixPair(hasTalked);
        pair.server().setOption(StandardSocketOptions.SO_LINGER, 0);
        Bytes.write(pair.server(), Bytes.ascii("last"));
        pair.server().close();
        assertThat(Bytes.readToEnd(pair.client())).asString().isEqualTo("last");
    }

    @Test
    void refusals() throws IOException {
        UnixDomainSocketAddress absent = freshAddress();
        assertThatThrownBy(() -> unixChannel().connect(absent)).isExactlyInstanceOf(SocketException.class);
        ServerSocketChannel listener = unixListener();
        UnixDomainSocketAddress bound = (UnixDomainSocketAddress) listener.getLocalAddress();
        assertThatThrownBy(() -> closing(ServerSocketChannel.open(StandardProtocolFamily.UNIX))
                        .bind(bound))
                .isExactlyInstanceOf(BindException.class);
        listener.close();
        assertThat(Files.exists(bound.getPath())).as("the file stays").isTrue();
        SocketChannel refused = unixChannel();
        assertThatThrownBy(() -> refused.connect(bound)).isExactlyInstanceOf(ConnectException.class);
        assertThat(refused.isOpen()).isFalse();
        assertThatThrownBy(() -> unixChannel().connect(new InetSocketAddress(host(), 1)))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> unixChannel().connect(UnixDomainSocketAddress.of("/" + "x".repeat(200))))
                .isInstanceOf(SocketException.class);
    }

    @Test
    void channelsNameTheDefaultProvider() throws IOException {
        ServerSocketChannel listener = unixListener();
        Pair pair = unixPair(listener);
        assertThat(pair.client().provider()).isSameAs(listener.provider());
        assertThat(pair.server().provider()).isSameAs(java.nio.channels.spi.SelectorProvider.provider());
    }
}
