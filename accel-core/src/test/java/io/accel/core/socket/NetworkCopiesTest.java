// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class NetworkCopiesTest {
    private static final int COUNT = 20_000;

    private final InetSocketAddress sender = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4_000);
    private final NetworkCopies copies = new NetworkCopies();

    /** When a datagram comes by one of the two ways. */
    private record Arrival(int number, boolean byKernel, double at) {}

    private static List<Arrival> arrivals(Random random, double loss) {
        List<Arrival> all = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            for (boolean byKernel : new boolean[] {true, false}) {
                if (random.nextDouble() >= loss) {
                    all.add(new Arrival(i, byKernel, i + 200 * random.nextDouble()));
                }
            }
        }
        all.sort(Comparator.comparingDouble(Arrival::at));
        return all;
    }

    private boolean isDelivered(Arrival arrival, ByteBuffer datagram) {
        return arrival.byKernel()
                ? !copies.isSecondFromKernel(sender, datagram)
                : !copies.isSecondFromNetwork(sender, datagram);
    }

    /** Either way loses some and changes their order; whatever came by one of them is delivered, and nothing twice. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.5})
    void differentDatagramsAreDeliveredOnce(double loss) {
        Set<Integer> came = new HashSet<>();
        List<Integer> delivered = new ArrayList<>();
        for (Arrival arrival : arrivals(new Random(11), loss)) {
            came.add(arrival.number());
            if (isDelivered(arrival, number(arrival.number()))) {
                delivered.add(arrival.number());
            }
        }
        assertThat(delivered).doesNotHaveDuplicates();
        assertThat(new HashSet<>(delivered)).isEqualTo(came);
    }

    /** Of equal datagrams as many are delivered as came by the way that brought more of them. */
    @Test
    void equalDatagramsAreDeliveredAsOftenAsTheyCame() {
        Map<Integer, Integer> byKernel = new HashMap<>();
        Map<Integer, Integer> byNetwork = new HashMap<>();
        Map<Integer, Integer> delivered = new HashMap<>();
        for (Arrival arrival : arrivals(new Random(12), 0.05)) {
            int content = arrival.number() % 5;
            (arrival.byKernel() ? byKernel : byNetwork).merge(content, 1, Integer::sum);
            if (isDelivered(arrival, number(content))) {
                delivered.merge(content, 1, Integer::sum);
            }
        }
        assertThat(delivered).hasSize(5);
        delivered.forEach((content, count) ->
                assertThat(count).isEqualTo(Math.max(byKernel.get(content), byNetwork.get(content))));
    }

    @Test
    void othersDatagramsAreTheirOwn() {
        assertThat(copies.isSecondFromKernel(sender, number(1))).isFalse();
        InetSocketAddress neighbour = new InetSocketAddress(sender.getAddress(), sender.getPort() + 1);
        assertThat(copies.isSecondFromNetwork(neighbour, number(1))).isFalse();
        assertThat(copies.isSecondFromNetwork(sender, number(2))).isFalse();
        assertThat(copies.isSecondFromNetwork(sender, ByteBuffer.allocate(0))).isFalse();
        assertThat(copies.isSecondFromNetwork(sender, number(1))).isTrue();
        assertThat(copies.isSecondFromKernel(sender, ByteBuffer.allocate(0))).isTrue();
    }

    /** What came one way alone is forgotten in the end, so that it takes no other datagram's place. */
    @Test
    void theOldestAreForgotten() {
        for (int i = 0; i <= NetworkCopies.MOST; i++) {
            assertThat(copies.isSecondFromKernel(sender, number(i))).isFalse();
        }
        assertThat(copies.isSecondFromNetwork(sender, number(0))).isFalse();
        assertThat(copies.isSecondFromNetwork(sender, number(1))).isTrue();
    }

    private static ByteBuffer number(int number) {
        return ByteBuffer.allocate(13).putInt(0, number);
    }
}
