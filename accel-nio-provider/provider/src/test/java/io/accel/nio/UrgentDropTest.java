// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.metrics.AccelMetrics;
import io.accel.profile.Profile;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An urgent byte that nobody wants inline is dropped, and counted. */
class UrgentDropTest {
    @Test
    void isCounted() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new AccelMetrics().bindTo(registry);
        FunctionCounter drops =
                registry.get("accel.drops").tags("kind", "urgent").functionCounter();
        double before = drops.count();
        AccelSelectorProvider provider =
                new AccelSelectorProvider(Profile.load("balanced", Map.of("handover.after", "connect")));
        try (ServerSocketChannel listener = provider.openServerSocketChannel()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = provider.openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                assertThat(((AccelSocketChannel) server).path().isAccelerated()).isTrue();
                client.write(ByteBuffer.wrap(new byte[] {3})); // a direction with an urgent byte stays there
                assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(1);
                client.socket().sendUrgentData(1);
                assertThat(drops.count() - before).isEqualTo(1);
                server.socket().setOOBInline(true);
                client.socket().sendUrgentData(2);
                assertThat(drops.count() - before).isEqualTo(1);
                assertThat(server.socket().getInputStream().read()).isEqualTo(2);
            }
        }
    }
}
