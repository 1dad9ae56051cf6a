// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.poll.PollConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The sleepers that a pool keeps, and for how long. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class SleeperPoolTest {
    private static final int MOST_IDLE = 256;

    private final SleeperPool pool = new SleeperPool(new PollConfig(0, 1, 1, 0, PollConfig.Yielding.NEVER));

    @Test
    void oneThatWasGivenBackIsTakenAgain() throws Exception {
        SleeperPool.Pooled first = pool.take(null);
        SleeperPool.Pooled second = pool.take(null);
        assertThat(second).isNotSameAs(first);
        pool.giveBack(first);
        pool.giveBack(second);
        assertThat(pool.take(second.reference())).isSameAs(second);
        assertThat(pool.take(second.reference()))
                .as("the other, since that is in use")
                .isSameAs(first);
        pool.giveBack(second);
        assertThat(pool.take(null)).isSameAs(second);
    }

    @Test
    void theCollectorClosesThoseThatLieIdleAndNoOthers() throws Exception {
        SleeperPool.Pooled used = pool.take(null);
        long before = Lab.descriptors();
        takeAndGiveBack(30);
        assertThat(Lab.descriptors()).isGreaterThanOrEqualTo(before + 30);
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            System.gc();
            return Lab.descriptors() <= before + 2;
        });
        assertThat(isOpen(used)).isTrue();
        assertThat(isOpen(pool.take(null))).isTrue();
    }

    @Test
    void beyondTheMostTheyAreClosedAtOnce() throws Exception {
        List<SleeperPool.Pooled> all = takeAndGiveBack(MOST_IDLE + 3);
        assertThat(all.stream().filter(pooled -> !isOpen(pooled))).hasSize(3);
    }

    private static boolean isOpen(SleeperPool.Pooled pooled) {
        try {
            return pooled.sleeper().isOpen();
        } catch (ClosedSelectorException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<SleeperPool.Pooled> takeAndGiveBack(int count) throws IOException {
        List<SleeperPool.Pooled> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pool.take(null));
        }
        for (SleeperPool.Pooled pooled : taken) {
            pool.giveBack(pooled);
        }
        return taken;
    }
}
