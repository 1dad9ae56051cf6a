// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The provider itself, and everything that it opens. */
@Tag("selector")
class SelectorProviderTest extends ContractSupport {
    private final SelectorProvider provider = SelectorProvider.provider();

    /** Otherwise a whole run would test the wrong thing. */
    @Test
    void isTheOneThatThisRunIsAbout() {
        String configured = System.getProperty("java.nio.channels.spi.SelectorProvider");
        if (Path.current() == Path.JDK) {
            assertThat(configured).isNull();
            assertThat(provider.getClass().getModule().getName()).isEqualTo("java.base");
        } else {
            assertThat(provider.getClass().getName()).isEqualTo(configured);
        }
        assertThat(SelectorProvider.provider()).isSameAs(provider);
    }

    @Test
    void everythingKnowsItsProvider() throws IOException {
        assertThat(selector().provider()).isSameAs(provider);
        assertThat(channel().provider()).isSameAs(provider);
        assertThat(listener().provider()).isSameAs(provider);
        Pair pair = pair();
        assertThat(pair.client().provider()).isSameAs(provider);
        assertThat(pair.server().provider()).isSameAs(provider);
    }

    @Test
    void opensEverything() throws IOException {
        Selector selector = closing(provider.openSelector());
        SocketChannel channel = closing(provider.openSocketChannel());
        ServerSocketChannel listener = closing(provider.openServerSocketChannel());
        DatagramChannel datagrams = closing(provider.openDatagramChannel());
        DatagramChannel inet = closing(provider.openDatagramChannel(StandardProtocolFamily.INET));
        Pipe pipe = provider.openPipe();
        closing(pipe.source());
        closing(pipe.sink());
        assertThat(selector.isOpen()).isTrue();
        for (Channel opened : new Channel[] {channel, listener, datagrams, inet, pipe.source(), pipe.sink()}) {
            assertThat(opened.isOpen()).isTrue();
            assertThat(opened.toString()).isNotEmpty();
        }
        Bytes.write(pipe.sink(), Bytes.ascii("through"));
        assertThat(Bytes.readAscii(pipe.source(), 7)).isEqualTo("through");
    }

    @Test
    void nullFamilyIsRefused() {
        assertThatThrownBy(() -> provider.openSocketChannel(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> provider.openServerSocketChannel(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> provider.openDatagramChannel(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void unknownFamilyIsRefused() {
        ProtocolFamily unknown = () -> "PIGEON";
        assertThatThrownBy(() -> provider.openSocketChannel(unknown)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> provider.openServerSocketChannel(unknown))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> provider.openDatagramChannel(unknown))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> provider.openDatagramChannel(StandardProtocolFamily.UNIX))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @EnumSource
    void opensChannelsOfAFamily(StandardProtocolFamily family) throws IOException {
        assertThat(closing(provider.openSocketChannel(family)).isOpen()).isTrue();
        assertThat(closing(provider.openServerSocketChannel(family)).isOpen()).isTrue();
        assertThat(closing(SocketChannel.open(family)).provider()).isSameAs(provider);
        assertThat(closing(ServerSocketChannel.open(family)).provider()).isSameAs(provider);
    }

    @Test
    void unixDomainChannelsWork() throws IOException {
        ServerSocketChannel listener =
                closing(ServerSocketChannel.open(StandardProtocolFamily.UNIX)).bind(null);
        UnixDomainSocketAddress address = (UnixDomainSocketAddress) listener.getLocalAddress();
        closing(() -> Files.deleteIfExists(address.getPath()));
        SocketChannel client = closing(SocketChannel.open(address));
        SocketChannel server = closing(listener.accept());
        assertThat(client.getRemoteAddress()).isEqualTo(address);
        Bytes.write(client, Bytes.ascii("over a file"));
        client.shutdownOutput();
        assertThat(Bytes.readToEnd(server)).asString().isEqualTo("over a file");
        assertThatThrownBy(client::socket).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(listener::socket).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void datagramChannelsWork() throws IOException {
        DatagramChannel receiver = closing(DatagramChannel.open()).bind(anyPort());
        DatagramChannel sender = closing(DatagramChannel.open());
        sender.connect(receiver.getLocalAddress());
        sender.write(Bytes.ascii("first"));
        sender.write(Bytes.ascii("second"));
        var buffer = ByteBuffer.allocate(100);
        assertThat(receiver.receive(buffer)).isEqualTo(sender.getLocalAddress());
        assertThat(buffer.position()).as("boundaries are kept").isEqualTo(5);
        receiver.receive(buffer.clear());
        assertThat(buffer.position()).isEqualTo(6);
    }

    /** Whether there is an inherited channel depends on how this JVM was started. */
    @Test
    void inheritedChannelIsAnswered() throws IOException {
        Channel inherited = provider.inheritedChannel();
        assertThat(inherited == null || inherited.isOpen()).isTrue();
        assertThat(System.inheritedChannel()).isSameAs(inherited);
    }
}
