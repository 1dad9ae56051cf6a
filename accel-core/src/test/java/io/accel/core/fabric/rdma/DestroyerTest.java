// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An identifier whose end takes long keeps neither its caller nor other identifiers. */
@Timeout(10)
class DestroyerTest {
    private static final int PORT = 4711;

    private final Destroyer destroyer = new Destroyer();
    private final CountDownLatch peerAnswers = new CountDownLatch(1);

    @AfterEach
    void answer() {
        peerAnswers.countDown();
    }

    private CountDownLatch destroy(int port, AutoCloseable rest) {
        CountDownLatch done = new CountDownLatch(1);
        destroyer.destroy(port, rest, done::countDown);
        return done;
    }

    @Test
    void oneThatWaitsKeepsNoOther() throws InterruptedException {
        CountDownLatch waiting = destroy(PORT, peerAnswers::await);
        CountDownLatch other = destroy(PORT + 1, () -> {});
        other.await();
        assertThat(waiting.getCount()).isOne();
        peerAnswers.countDown();
        waiting.await();
    }

    @Test
    void aPortNumberIsTakenUntilTheEnd() throws InterruptedException {
        CountDownLatch waiting = destroy(PORT, peerAnswers::await);
        assertThat(destroyer.has(PORT)).isTrue();
        assertThat(destroyer.has(PORT + 1)).isFalse();
        peerAnswers.countDown();
        waiting.await();
        assertThat(destroyer.has(PORT)).isFalse();
    }

    @Test
    void oneThatFailsEndsAllTheSame() throws InterruptedException {
        destroy(PORT, () -> {
                    throw new IllegalStateException("the device is gone");
                })
                .await();
        assertThat(destroyer.has(PORT)).isFalse();
    }

    @Test
    void moreThanThereAreThreadsComeToTheirEnd() throws InterruptedException {
        int many = 100;
        CountDownLatch all = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            destroyer.destroy(PORT, peerAnswers::await, all::countDown);
        }
        peerAnswers.countDown();
        assertThat(all.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(destroyer.has(PORT)).isFalse();
    }
}
