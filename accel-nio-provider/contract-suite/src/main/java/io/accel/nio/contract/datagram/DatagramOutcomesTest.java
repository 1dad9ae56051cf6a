// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What datagram channels that were closed say, beside the JDK's own in this JVM: releases of the JDK differ in it. */
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
                all.add(said(() -> channel.receive(buffer)));
                all.add(said(() -> channel.read(buffer)));
                all.add(said(() -> channel.read(new ByteBuffer[] {buffer})));
                all.add(said(() -> channel.send(buffer, target)));
                all.add(said(() -> channel.write(buffer)));
                all.add(said(() -> channel.write(new ByteBuffer[] {buffer})));
            }
            all.add(said(() -> channel.bind(target)));
            all.add(said(() -> channel.connect(target)));
            all.add(said(channel::getLocalAddress));
            all.add(said(channel::disconnect).replaceAll("@.*", ""));
            all.add(channel.toString().replaceAll("@.*", ""));
            all.add(channel.socket().toString().replaceAll("@.*", ""));
        }
        return all;
    }

    private static String said(Callable<?> action) {
        try {
            return "" + action.call();
        } catch (Exception e) {
            return e.getClass().getName() + ": " + e.getMessage();
        }
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
}
