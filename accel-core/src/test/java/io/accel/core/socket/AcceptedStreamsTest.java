// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that ask before the program has accepted their connections. */
class AcceptedStreamsTest {
    private final AcceptedStreams all = new AcceptedStreams();
    private final SocketChannel channel;

    AcceptedStreamsTest() throws IOException {
        channel = JdkAccess.kernelProvider().openSocketChannel();
    }

    private static AcceptedStreams.Ends ends(int port) {
        return new AcceptedStreams.Ends(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private StreamSocket connection() throws IOException {
        return new StreamSocket(null, new ChannelAnchor(channel));
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
    }

    @Test
    void oneIsAnsweredWhenItsConnectionIsAccepted() throws Exception {
        int[] asked = new int[1];
        assertThat(all.await(ends(2), () -> asked[0]++)).isTrue();
        assertThat(all.await(ends(3), () -> asked[0] += 100)).isTrue();
        assertThat(all.add(ends(2), connection())).isTrue();
        assertThat(asked[0]).isEqualTo(1);
        assertThat(all.add(ends(2), connection())).isFalse();
        assertThat(asked[0]).as("once").isEqualTo(1);
    }

    @Test
    void oneThatHasGoneIsForgotten() throws Exception {
        int[] asked = new int[1];
        assertThat(all.await(ends(2), () -> asked[0]++)).isTrue();
        assertThat(all.forget(ends(2))).isTrue();
        assertThat(all.forget(ends(2))).isFalse();
        assertThat(all.add(ends(2), connection())).isFalse();
        assertThat(asked[0]).isZero();
    }

    @Test
    void aSecondForTheSameConnectionIsRefused() {
        assertThat(all.await(ends(2), () -> {})).isTrue();
        assertThat(all.await(ends(2), () -> {})).isFalse();
    }

    /** A host that asks for connections that there are not, again and again, does not keep others from waiting. */
    @Test
    void oneAddressLeavesPlacesToOthers() throws Exception {
        for (int host = 1; host < 5; host++) {
            int port = 1;
            while (all.await(at(host, port), () -> {})) {
                port++;
            }
            assertThat(port).as("of host %s", host).isGreaterThan(100);
        }
        assertThat(all.await(at(9, 1), () -> {})).isTrue();
        assertThat(all.forget(at(9, 1))).isTrue();
        int kept = 0;
        while (all.forget(at(1, kept + 1))) {
            kept++;
        }
        int again = 0;
        while (all.await(at(1, 20_000 + again), () -> {})) {
            again++;
        }
        assertThat(again).as("places come back").isBetween(kept / 2, kept);
    }

    private static AcceptedStreams.Ends at(int host, int port) throws Exception {
        return new AcceptedStreams.Ends(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host}), port));
    }

    @Test
    void theyAreNotKeptWithoutLimit() {
        int kept = 0;
        while (kept < 60_000 && all.await(ends(kept + 2), () -> {})) {
            kept++;
        }
        assertThat(kept).isBetween(1_000, 10_000);
    }
}
