// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.testing.InjectedErrors.Kind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The kernel tells each hang-up once, so none may be lost between it and the receiver. */
@Timeout(60)
class HangUpsTest {
    /** More than are taken from the kernel at a time. */
    private static final int CONNECTIONS = 100;

    @Test
    void whatAReceiverThatFailsWasToldIsToldAgain() throws Exception {
        HangUps hangUps = HangUps.open();
        List<SocketChannel> all = new ArrayList<>();
        try (ServerSocketChannel listener = JdkAccess.kernelProvider()
                .openServerSocketChannel()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CONNECTIONS)) {
            Set<Integer> expected = new HashSet<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                SocketChannel client = JdkAccess.kernelProvider().openSocketChannel();
                all.add(client);
                client.connect(listener.getLocalAddress());
                expected.add(hangUps.add(client));
                try (SocketChannel server = listener.accept()) {
                    server.setOption(StandardSocketOptions.SO_LINGER, 0); // a reset
                }
            }
            List<Integer> heard = new ArrayList<>();
            int[] failures = {0};
            while (heard.size() < CONNECTIONS) {
                int before = heard.size();
                if (failures[0]++ % 2 == 0) {
                    assertThatThrownBy(() -> hangUps.await(10_000, number -> {
                                if (heard.size() - before == 10) {
                                    throw new OutOfMemoryError(Kind.MEMORY.message());
                                }
                                heard.add(number);
                            }))
                            .hasMessage(Kind.MEMORY.message());
                } else {
                    hangUps.await(10_000, heard::add);
                }
            }
            assertThat(heard).containsExactlyInAnyOrderElementsOf(expected);
        } finally {
            for (SocketChannel each : all) {
                each.close();
            }
        }
    }
}
