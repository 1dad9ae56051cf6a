// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.Background;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One channel rings for several pollables, in one poller or in several. */
@Timeout(60)
class WatchedTogetherTest {
    private static final long LONG = 10_000_000_000L;
    private static final PollConfig SLEEPING = new PollConfig(0, 64, 1, 0, PollConfig.Yielding.ADAPTIVE);

    private final Bell bell = new Bell();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Set<Object> found = ConcurrentHashMap.newKeySet();
    private final Poller.Sink sink = (registration, ops) -> found.add(registration.attachment());

    /** The channel, and the pollables that it rings for. */
    private static final class Bell {
        Pipe pipe;
        final List<Rung> all = new ArrayList<>();

        /** Something comes for some pollables. */
        void bring(Rung... forThese) throws IOException {
            for (Rung one : forThese) {
                one.hasNews = true;
            }
            pipe.sink().write(ByteBuffer.allocate(1));
        }

        synchronized void drain() {
            try {
                pipe.source().read(ByteBuffer.allocate(64));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            for (Rung one : all) {
                if (one.hasNews) {
                    one.registrations.forEach(Registration::refresh);
                }
            }
        }
    }

    private final class Rung implements Pollable {
        final List<Registration> registrations = new CopyOnWriteArrayList<>();
        volatile boolean hasNews;

        @Override
        public SelectableChannel watched() {
            return bell.pipe.source();
        }

        @Override
        public boolean isWatchedTogether() {
            return true;
        }

        @Override
        public int watchedOps(int interest) {
            return interest == 0 ? 0 : SelectionKey.OP_READ;
        }

        @Override
        public boolean isPolled() {
            return true;
        }

        @Override
        public int look(int interest) {
            return hasNews ? interest & SelectionKey.OP_READ : 0;
        }

        @Override
        public int kernelReady(int interest, int watchedReady) {
            bell.drain();
            return 0;
        }

        @Override
        public void arm(int interest) {
            // It rings for whatever comes.
        }

        @Override
        public long deadline() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean retained(Registration registration) {
            registrations.add(registration);
            return true;
        }

        @Override
        public void released(Registration registration) {
            registrations.remove(registration);
        }
    }

    @BeforeEach
    void open() throws IOException {
        bell.pipe = JdkAccess.kernelProvider().openPipe();
        bell.pipe.source().configureBlocking(false);
        open.add(bell.pipe.source());
        open.add(bell.pipe.sink());
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private Poller poller() throws IOException {
        Poller poller = new Poller(SLEEPING);
        open.add(poller);
        return poller;
    }

    private Rung rung() {
        Rung one = new Rung();
        bell.all.add(one);
        return one;
    }

    private Registration register(Poller poller, Rung one) throws IOException {
        Registration registration = poller.register(one, SelectionKey.OP_READ, one);
        open.add(registration::close);
        return registration;
    }

    private void findsOnly(Poller poller, Rung... these) throws Exception {
        found.clear();
        Background<Integer> sleeper = Background.start(() -> poller.poll(LONG, sink));
        sleeper.awaitAsleep();
        bell.bring(these);
        assertThat(sleeper.get(20, TimeUnit.SECONDS)).isPositive();
        assertThat(found).containsExactlyInAnyOrder((Object[]) these);
        for (Rung one : these) {
            one.hasNews = false;
        }
    }

    @Test
    void aRingIsHeardForEachOfThem() throws Exception {
        Poller poller = poller();
        Rung first = rung();
        Rung second = rung();
        Rung third = rung();
        register(poller, first);
        register(poller, second);
        register(poller, third);
        findsOnly(poller, second);
        findsOnly(poller, first, third);
        findsOnly(poller, third);
    }

    @Test
    void itIsHeardAsLongAsOneIsLeft() throws Exception {
        Poller poller = poller();
        Rung first = rung();
        Rung second = rung();
        Registration one = register(poller, first);
        register(poller, second);
        one.close();
        findsOnly(poller, second);
        register(poller, first);
        findsOnly(poller, first);
    }

    @Test
    void aRegistrationWithoutInterestDoesNotSilenceTheOthers() throws Exception {
        Poller poller = poller();
        Rung first = rung();
        Rung second = rung();
        Registration one = register(poller, first);
        register(poller, second);
        one.interest(0);
        findsOnly(poller, second);
        one.interest(SelectionKey.OP_READ);
        findsOnly(poller, first);
    }

    @Test
    void afterTheLastOneTheChannelCanBeWatchedAnew() throws Exception {
        Poller poller = poller();
        Rung one = rung();
        for (int round = 0; round < 3; round++) {
            Registration registration = register(poller, one);
            findsOnly(poller, one);
            registration.close();
        }
        assertThat(bell.pipe.source().isRegistered()).isFalse();
    }

    /** One of two pollers takes the ring: the other hears of its own all the same. */
    @Test
    void whicheverPollerHearsTellsTheOther() throws Exception {
        Poller here = poller();
        Poller there = poller();
        Rung first = rung();
        Rung second = rung();
        register(here, first);
        register(there, second);
        for (int round = 0; round < 20; round++) {
            Background<Integer> one = Background.start(() -> here.poll(LONG, sink));
            Background<Integer> other = Background.start(() -> there.poll(LONG, sink));
            one.awaitAsleep();
            other.awaitAsleep();
            bell.bring(first);
            assertThat(one.get(20, TimeUnit.SECONDS)).isPositive();
            first.hasNews = false;
            bell.bring(second);
            assertThat(other.get(20, TimeUnit.SECONDS)).isPositive();
            second.hasNews = false;
        }
        assertThat(found).containsExactlyInAnyOrder(first, second);
    }
}
