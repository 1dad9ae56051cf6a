// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Said;
import io.accel.nio.contract.Said.EndState;
import io.accel.nio.contract.Said.ListenerState;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What asynchronous channels say in every state, message by message, beside the JDK's own in this JVM. */
@Tag("nio2")
class Nio2OutcomesTest extends Nio2Support {
    @ParameterizedTest
    @EnumSource
    void ofAChannel(EndState state) throws Exception {
        assertThat(ofAChannel(AsynchronousChannelProvider.provider(), state))
                .isEqualTo(ofAChannel(JdkAccess.kernelAsynchronousProvider(), state));
    }

    private String ofAChannel(AsynchronousChannelProvider provider, EndState state) throws Exception {
        AsynchronousServerSocketChannel listener =
                closing(provider.openAsynchronousServerSocketChannel(null)).bind(anyPort());
        AsynchronousSocketChannel channel = closing(provider.openAsynchronousSocketChannel(null));
        if (state == EndState.BOUND) {
            channel.bind(anyPort());
        } else if (state != EndState.NEW) {
            Future<AsynchronousSocketChannel> accepted = listener.accept();
            value(channel.connect(listener.getLocalAddress()));
            AsynchronousSocketChannel peer = closing(value(accepted));
            send(channel, new byte[1]);
            receive(peer, 1);
            send(peer, new byte[1]);
            receive(channel, 1);
            switch (state) {
                case INPUT_SHUT -> channel.shutdownInput();
                case OUTPUT_SHUT -> channel.shutdownOutput();
                case CLOSED -> channel.close();
                case PEER_HAS_CLOSED -> {
                    peer.close();
                    assertThat(value(channel.read(ByteBuffer.allocate(1)))).isEqualTo(-1);
                }
                default -> {}
            }
        }
        Said said = new Said();
        transfers(channel, state, said);
        said.options(channel::getOption, (option, value) -> channel.setOption(option, value));
        said.to("supported", () -> channel.supportedOptions().size());
        said.to("local", () -> channel.getLocalAddress() != null);
        said.to("remote", () -> channel.getRemoteAddress() != null);
        said.to("bind", () -> channel.bind(anyPort()) == channel);
        said.to("bind to an odd address", () -> channel.bind(Said.ODD) == channel);
        said.to("bind to an unresolved address", () -> channel.bind(Said.UNRESOLVED) == channel);
        said.to("connect to nothing", () -> value(channel.connect(null)));
        said.to("connect to an odd address", () -> value(channel.connect(Said.ODD)));
        said.to("connect to an unresolved address", () -> value(channel.connect(Said.UNRESOLVED)));
        if (state.wasConnected()) {
            said.to("connect again", () -> value(channel.connect(listener.getLocalAddress())));
        }
        said.to("shut input", () -> channel.shutdownInput() == channel);
        said.to("shut output", () -> channel.shutdownOutput() == channel);
        said.to("read after that", () -> value(channel.read(ByteBuffer.allocate(1))));
        said.to("write after that", () -> value(channel.write(ByteBuffer.allocate(1))));
        said.to("open", () -> channel.isOpen());
        return said.all();
    }

    private static void transfers(AsynchronousSocketChannel channel, EndState state, Said said) {
        ByteBuffer none = ByteBuffer.allocate(0);
        ByteBuffer one = ByteBuffer.allocate(1);
        ByteBuffer full = ByteBuffer.allocate(1).position(1);
        Outcome<Integer> unused = new Outcome<>();
        Outcome<Long> unusedLong = new Outcome<>();
        said.to("read nothing", () -> value(channel.read(none)));
        said.to("read into a full buffer", () -> value(channel.read(full)));
        said.to("read into no buffer", () -> value(channel.read(null)));
        said.to("read into a read-only buffer", () -> value(channel.read(one.asReadOnlyBuffer())));
        said.to("read for no handler", () -> {
            channel.read(one, null, null);
            return "";
        });
        said.to("read out of bounds", () -> {
            channel.read(new ByteBuffer[] {one}, 1, 1, 0, TimeUnit.SECONDS, null, unusedLong);
            return "";
        });
        said.to("read into a null buffer", () -> {
            channel.read(new ByteBuffer[] {null}, 0, 1, 0, TimeUnit.SECONDS, null, unusedLong);
            return "";
        });
        said.to("read into one read-only buffer of two", () -> {
            channel.read(new ByteBuffer[] {one, one.asReadOnlyBuffer()}, 0, 2, 0, TimeUnit.SECONDS, null, unusedLong);
            return "";
        });
        said.to("read in no unit", () -> {
            channel.read(none, 1, null, null, unused);
            return "";
        });
        if (!state.readsWait()) {
            said.to("read", () -> value(channel.read(ByteBuffer.allocate(1))));
        }
        said.to("write nothing", () -> value(channel.write(none)));
        said.to("write no buffer", () -> value(channel.write(null)));
        said.to("write for no handler", () -> {
            channel.write(none, null, null);
            return "";
        });
        said.to("write out of bounds", () -> {
            channel.write(new ByteBuffer[] {one}, -1, 1, 0, TimeUnit.SECONDS, null, unusedLong);
            return "";
        });
        if (state != EndState.PEER_HAS_CLOSED) { // which accepts one, and refuses those behind its answer
            said.to("write", () -> value(channel.write(ByteBuffer.allocate(1))));
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofAListener(ListenerState state) throws Exception {
        assertThat(ofAListener(AsynchronousChannelProvider.provider(), state))
                .isEqualTo(ofAListener(JdkAccess.kernelAsynchronousProvider(), state));
    }

    private String ofAListener(AsynchronousChannelProvider provider, ListenerState state) throws Exception {
        AsynchronousServerSocketChannel listener = closing(provider.openAsynchronousServerSocketChannel(null));
        if (state != ListenerState.NEW) {
            listener.bind(anyPort());
        }
        if (state == ListenerState.CLOSED) {
            listener.close();
        }
        Said said = new Said();
        if (state != ListenerState.BOUND) {
            said.to("accept", () -> value(listener.accept()));
        }
        said.to("accept for no handler", () -> {
            listener.accept(null, null);
            return "";
        });
        said.options(listener::getOption, (option, value) -> listener.setOption(option, value));
        said.to("supported", () -> listener.supportedOptions().size());
        said.to("local", () -> listener.getLocalAddress() != null);
        said.to("bind to an odd address", () -> listener.bind(Said.ODD) == listener);
        said.to("bind to an unresolved address", () -> listener.bind(Said.UNRESOLVED) == listener);
        said.to("bind", () -> listener.bind(anyPort(), -1) == listener);
        said.to("bind again", () -> listener.bind(anyPort()) == listener);
        said.to("open", () -> listener.isOpen());
        return said.all();
    }
}
