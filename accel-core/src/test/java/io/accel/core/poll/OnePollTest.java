// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Events that a single poll has to find, since nobody may ask a second time. */
@Timeout(30)
class OnePollTest {
    private static final long MILLI = 1_000_000L;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "MEMORY")
    void whatALookFindsToHaveMoved(FakeMover.Place place) throws Exception {
        Poller poller = spinning();
        FakeMover mover = opened(new FakeMover());
        Registration registration = poller.register(mover, OP_READ, null);
        assertThat(poll(poller, 0)).isZero();
        mover.moveTo(place);
        assertThat(poll(poller, 0)).isEqualTo(1);
        registration.close();
    }

    /** Looking at a link that is quiet, for longer than the poll may last. */
    @Test
    void whatTheKernelHasWhenTheTimeIsOver() throws Exception {
        Poller poller = spinning();
        Registration quiet = poller.register(opened(new FakeLink()), OP_READ, null);
        FakeKernel kernel = opened(new FakeKernel());
        Registration ready = poller.register(kernel, OP_READ, null);
        kernel.makeReadable();
        assertThat(poll(poller, MILLI)).isEqualTo(1);
        ready.close();
        quiet.close();
    }

    @Test
    void whatTheKernelHasWhenTheThreadIsInterrupted() throws Exception {
        Poller poller = spinning();
        Registration quiet = poller.register(opened(new FakeLink()), OP_READ, null);
        FakeKernel kernel = opened(new FakeKernel());
        Registration ready = poller.register(kernel, OP_READ, null);
        kernel.makeReadable();
        Thread.currentThread().interrupt();
        int found = poll(poller, -1);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(found).isEqualTo(1);
        ready.close();
        quiet.close();
    }

    /** A poller that hardly ever looks at the kernel while it looks at links. */
    private Poller spinning() throws IOException {
        return opened(new Poller(new PollConfig(Long.MAX_VALUE, 1 << 24, 64, 0, PollConfig.Yielding.NEVER)));
    }

    private <T extends AutoCloseable> T opened(T one) {
        open.add(one);
        return one;
    }

    private static int poll(Poller poller, long nanos) throws IOException {
        return poller.poll(nanos, (registration, ops) -> {});
    }
}
