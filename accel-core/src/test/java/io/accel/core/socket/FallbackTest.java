package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.FallbackReason;
import io.accel.core.poll.Poller;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A peer that does not answer costs the probe's timeout once; then the kernel connects, in either mode. */
@SuppressWarnings("try") // some resources are only held
class FallbackTest {
    private static final Map<String, String> QUICK = Map.of("connect.probe-timeout", "50ms");

    @Test
    void aBlockingClientGoesOnByTheKernel() throws Exception {
        try (Lab lab = new Lab("balanced", QUICK)) {
            lab.silence();
            StreamSocket client = lab.socket(true);
            long start = System.nanoTime();
            assertThat(lab.begin(client)).isTrue();
            boolean fellBack = false;
            while (!fellBack) {
                assertThat(client.finishConnect()).isFalse();
                fellBack = client.takeFallback();
                if (!fellBack) {
                    lab.accelerator.waits().await(client, SelectionKey.OP_CONNECT, TimeUnit.SECONDS.toNanos(10));
                }
            }
            assertThat(System.nanoTime() - start).isBetween(50_000_000L, 2_000_000_000L);
            assertThat(client.isConnecting()).isFalse();
            assertThat(client.isPolled()).as("looked at as if it were a link").isFalse();
            assertThat(client.path().reason()).isEqualTo(FallbackReason.TIMEOUT);
            assertThat(client.path().isAccelerated()).isFalse();
            assertThat(client.kernel().connect(lab.address)).isTrue();
            client.close(false, false);
        }
    }

    @Test
    void aNonBlockingClientGoesOnByTheKernel() throws Exception {
        try (Lab lab = new Lab("balanced", QUICK);
                Poller poller = lab.accelerator.openPoller()) {
            lab.silence();
            StreamSocket client = lab.socket(false);
            assertThat(lab.begin(client)).isTrue();
            var registration = poller.register(client, SelectionKey.OP_CONNECT, null);
            int[] found = new int[1];
            long start = System.nanoTime();
            while (found[0] == 0) {
                poller.poll(TimeUnit.SECONDS.toNanos(5), (r, ops) -> found[0] |= ops);
                assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
            }
            assertThat(found[0]).isEqualTo(SelectionKey.OP_CONNECT);
            assertThat(client.finishConnect()).isTrue();
            assertThat(client.kernel().isConnected()).isTrue();
            assertThat(client.path().reason()).isEqualTo(FallbackReason.TIMEOUT);

            // From now on it is the kernel's, for all it can be waited for.
            registration.interest(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            found[0] = 0;
            assertThat(poller.poll(-1, (r, ops) -> found[0] |= ops)).isPositive();
            assertThat(found[0]).isEqualTo(SelectionKey.OP_WRITE);
            registration.close();
            client.close(false, false);
        }
    }

    /** A killed listener's rendezvous is there, and the kernel gives its port to the very client that calls. */
    @Test
    void aClientIsNotConnectedToItself() throws Exception {
        try (Lab lab = new Lab("balanced", QUICK)) {
            lab.silence();
            lab.kernel.close();
            StreamSocket client = lab.socket(true);
            assertThatThrownBy(() -> client.connect(lab.address, source -> {
                        client.kernel().bind(lab.address);
                        client.ensureOther((InetSocketAddress) client.kernel().getLocalAddress());
                        return lab.address;
                    }))
                    .isInstanceOf(ConnectException.class)
                    .hasMessage("Connection refused");
            client.close(false, false);
        }
    }

    @Test
    void aSilentPeerIsRemembered() throws Exception {
        try (Lab lab = new Lab("balanced", QUICK)) {
            lab.silence();
            StreamSocket first = lab.socket(true);
            assertThat(lab.begin(first)).isTrue();
            while (!first.takeFallback()) {
                first.finishConnect();
                Thread.sleep(1);
            }
            first.close(false, false);
            StreamSocket second = lab.socket(true);
            long start = System.nanoTime();
            assertThat(lab.begin(second)).isFalse();
            assertThat(System.nanoTime() - start).isLessThan(40_000_000L);
            assertThat(second.path().reason()).isEqualTo(FallbackReason.TIMEOUT);
            second.close(false, false);
        }
    }

    @Test
    void whereFallingBackIsForbiddenItFails() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("connect.probe-timeout", "50ms", "fallback", "fail"))) {
            lab.silence();
            StreamSocket client = lab.socket(true);
            assertThat(lab.begin(client)).isTrue();
            assertThatThrownBy(() -> {
                        while (!client.finishConnect()) {
                            lab.accelerator
                                    .waits()
                                    .await(client, SelectionKey.OP_CONNECT, TimeUnit.SECONDS.toNanos(10));
                        }
                    })
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("fallback=fail: TIMEOUT");
            client.close(false, false);
        }
    }

    @Test
    void aListenerThatIsGoneIsNotAccelerated() throws Exception {
        try (Lab lab = new Lab("balanced", QUICK)) {
            lab.listener.close();
            StreamSocket client = lab.socket(true);
            assertThat(lab.begin(client)).isFalse();
            assertThat(client.path().reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            client.close(false, false);
        }
    }
}
