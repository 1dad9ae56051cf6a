// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Said;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What datagram channels say in every state, beside the JDK's own in this JVM: releases of the JDK differ in it. */
@Tag("datagram")
class DatagramOutcomesTest extends DatagramSupport {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofAClosedChannel(boolean blocks) throws Exception {
        for (boolean connected : new boolean[] {true, false}) {
            assertThat(outcomes(SelectorProvider.provider(), blocks, connected))
                    .as("connected %s", connected)
                    .isEqualTo(outcomes(JdkAccess.kernelProvider(), blocks, connected));
        }
    }

    private List<String> outcomes(SelectorProvider provider, boolean blocks, boolean connected) throws IOException {
        List<String> all = new ArrayList<>();
        try (DatagramChannel other = provider.openDatagramChannel().bind(anyPort())) {
            SocketAddress target = other.getLocalAddress();
            DatagramChannel channel = provider.openDatagramChannel().bind(anyPort());
            if (connected) {
                channel.connect(target);
            }
            channel.configureBlocking(blocks);
            channel.close();
            for (int size : new int[] {0, 1}) {
                ByteBuffer buffer = ByteBuffer.allocate(size);
                all.add(Said.outcome(() -> channel.receive(buffer)));
                all.add(Said.outcome(() -> channel.read(buffer)));
                all.add(Said.outcome(() -> channel.read(new ByteBuffer[] {buffer})));
                all.add(Said.outcome(() -> channel.send(buffer, target)));
                all.add(Said.outcome(() -> channel.write(buffer)));
                all.add(Said.outcome(() -> channel.write(new ByteBuffer[] {buffer})));
            }
            all.add(Said.outcome(() -> channel.bind(target)));
            all.add(Said.outcome(() -> channel.connect(target)));
            all.add(Said.outcome(channel::getLocalAddress));
            all.add(Said.outcome(channel::disconnect).replaceAll("@.*", ""));
            all.add(channel.toString().replaceAll("@.*", ""));
            all.add(channel.socket().toString().replaceAll("@.*", ""));
        }
        return all;
    }

    /** One receiver waits for a datagram and the other for the first one, when another thread closes the channel. */
    @Test
    void ofTwoReceivers() throws Exception {
        assertThat(failuresOfTwo(SelectorProvider.provider())).isEqualTo(failuresOfTwo(JdkAccess.kernelProvider()));
    }

    private List<Class<?>> failuresOfTwo(SelectorProvider provider) throws Exception {
        DatagramChannel channel = closing(provider.openDatagramChannel()).bind(anyPort());
        Task<SocketAddress> first =
                start(() -> channel.receive(ByteBuffer.allocate(1))).awaitInside("receive");
        Task<SocketAddress> second =
                start(() -> channel.receive(ByteBuffer.allocate(1))).awaitInside("lock");
        channel.close();
        return List.of(failureOf(first), failureOf(second));
    }

    private static Class<?> failureOf(Task<?> task) throws Exception {
        try {
            throw new AssertionError("received " + task.result());
        } catch (ExecutionException e) {
            return e.getCause().getClass();
        }
    }

    /** The text of the JDK's objects, which do not tell their state. */
    @Test
    void ofToString() throws Exception {
        DatagramChannel jdks = closing(JdkAccess.kernelProvider().openDatagramChannel());
        DatagramChannel channel = closing(DatagramChannel.open());
        assertThat(channel.toString())
                .isEqualTo(jdks.getClass().getName() + '@' + Integer.toHexString(channel.hashCode()));
        assertThat(channel.bind(anyPort()).toString())
                .isEqualTo(jdks.getClass().getName() + '@' + Integer.toHexString(channel.hashCode()));
        assertThat(channel.socket().toString())
                .isEqualTo(jdks.socket().getClass().getName()
                        + '@'
                        + Integer.toHexString(channel.socket().hashCode()));
    }

    enum State {
        NEW,
        BOUND,
        CONNECTED,
        DISCONNECTED,
        CLOSED
    }

    @ParameterizedTest
    @EnumSource
    void inEachState(State state) throws Exception {
        for (boolean blocks : new boolean[] {true, false}) {
            assertThat(inEachState(SelectorProvider.provider(), state, blocks))
                    .as("blocking %s", blocks)
                    .isEqualTo(inEachState(JdkAccess.kernelProvider(), state, blocks));
        }
    }

    private String inEachState(SelectorProvider provider, State state, boolean blocks) throws Exception {
        DatagramChannel other = closing(provider.openDatagramChannel()).bind(anyPort());
        SocketAddress there = other.getLocalAddress();
        DatagramChannel channel = closing(provider.openDatagramChannel());
        channel.configureBlocking(blocks);
        switch (state) {
            case NEW -> {}
            case BOUND -> channel.bind(anyPort());
            case CONNECTED -> channel.connect(there);
            case DISCONNECTED -> channel.connect(there).disconnect();
            case CLOSED -> channel.close();
        }
        ByteBuffer none = ByteBuffer.allocate(0);
        ByteBuffer one = ByteBuffer.allocate(1);
        Said said = new Said();
        said.to(
                "state",
                () -> "" + channel.isOpen() + channel.isConnected() + channel.isBlocking() + channel.validOps());
        said.to("receive into no buffer", () -> channel.receive(null));
        said.to("receive into a read-only buffer", () -> channel.receive(one.asReadOnlyBuffer()));
        said.to("read into no buffer", () -> channel.read((ByteBuffer) null));
        said.to("read into a read-only buffer", () -> channel.read(one.asReadOnlyBuffer()));
        said.to("read out of bounds", () -> channel.read(new ByteBuffer[] {one}, 1, 1));
        if (!blocks || state != State.CONNECTED) {
            said.to("read", () -> channel.read(ByteBuffer.allocate(1)));
            said.to("read nothing", () -> channel.read(none));
        }
        if (!blocks) {
            said.to("receive", () -> channel.receive(ByteBuffer.allocate(1)));
            said.to("receive nothing", () -> channel.receive(none));
        }
        said.to("send to nobody", () -> channel.send(one.duplicate(), null));
        said.to("send no buffer", () -> channel.send(null, there));
        said.to("send to an odd address", () -> channel.send(one.duplicate(), Said.ODD));
        said.to("send to an unresolved address", () -> channel.send(one.duplicate(), Said.UNRESOLVED));
        said.to("send elsewhere", () -> channel.send(one.duplicate(), elsewhere()));
        said.to("send too much", () -> channel.send(ByteBuffer.allocate(1 << 16), there));
        said.to("send", () -> channel.send(one.duplicate(), there));
        said.to("write", () -> channel.write(one.duplicate()));
        said.to("write no buffer", () -> channel.write((ByteBuffer) null));
        said.to("gather", () -> channel.write(new ByteBuffer[] {one.duplicate()}));
        said.to("write out of bounds", () -> channel.write(new ByteBuffer[] {one}, 0, 2));
        said.options(channel::getOption, (option, value) -> channel.setOption(option, value));
        said.to("supported", () -> channel.supportedOptions().size());
        said.to("local", () -> channel.getLocalAddress() != null);
        said.to("remote", () -> channel.getRemoteAddress() != null);
        said.to("connect to nothing", () -> channel.connect(null));
        said.to("connect to an odd address", () -> channel.connect(Said.ODD));
        said.to("connect to an unresolved address", () -> channel.connect(Said.UNRESOLVED));
        if (state == State.CONNECTED || state == State.CLOSED) {
            said.to("connect again", () -> channel.connect(there));
        }
        said.to("bind to an odd address", () -> channel.bind(Said.ODD));
        said.to("bind to an unresolved address", () -> channel.bind(Said.UNRESOLVED));
        if (state != State.NEW && state != State.DISCONNECTED) {
            said.to("bind again", () -> channel.bind(anyPort()));
        }
        said.to("join nothing", () -> channel.join(null, null));
        said.to("join no group", () -> channel.join(host(), null));
        said.to("adaptor", () -> adaptorsState(channel));
        return said.all();
    }

    private SocketAddress elsewhere() throws IOException {
        return closing(DatagramChannel.open()).bind(anyPort()).getLocalAddress();
    }

    private static String adaptorsState(DatagramChannel channel) {
        return "" + channel.socket().isBound() + channel.socket().isConnected()
                + channel.socket().isClosed();
    }
}
