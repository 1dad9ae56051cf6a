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

/** What a pool of pollers keeps, and for how long. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class PollerPoolTest {
    private static final int MOST_IDLE = 256;

    private final PollerPool pool = new PollerPool(new PollConfig(0, 1, 1, 0, PollConfig.Yielding.NEVER));

    @Test
    void oneThatWasGivenBackIsTheNext() throws Exception {
        PollerPool.Pooled first = pool.take();
        PollerPool.Pooled second = pool.take();
        assertThat(second).isNotSameAs(first);
        pool.giveBack(first);
        pool.giveBack(second);
        assertThat(pool.take()).isSameAs(second);
        assertThat(pool.take()).isSameAs(first);
    }

    @Test
    void theCollectorClosesThoseThatLieIdleAndNoOthers() throws Exception {
        PollerPool.Pooled used = pool.take();
        long before = Lab.descriptors();
        takeAndGiveBack(30);
        assertThat(Lab.descriptors()).isGreaterThanOrEqualTo(before + 30);
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            System.gc();
            return Lab.descriptors() <= before + 2;
        });
        assertThat(isOpen(used)).isTrue();
        assertThat(isOpen(pool.take())).isTrue();
    }

    @Test
    void beyondTheMostTheyAreClosedAtOnce() throws Exception {
        List<PollerPool.Pooled> all = takeAndGiveBack(MOST_IDLE + 3);
        assertThat(all.stream().filter(pooled -> !isOpen(pooled))).hasSize(3);
    }

    private static boolean isOpen(PollerPool.Pooled pooled) {
        try {
            return pooled.poller().poll(0, (registration, ops) -> {}) == 0;
        } catch (ClosedSelectorException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<PollerPool.Pooled> takeAndGiveBack(int count) throws IOException {
        List<PollerPool.Pooled> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pool.take());
        }
        for (PollerPool.Pooled pooled : taken) {
            pool.giveBack(pooled);
        }
        return taken;
    }
}
