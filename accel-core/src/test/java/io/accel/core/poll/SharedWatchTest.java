// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.Background;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pollables that share the channel that rings for them, in one poller and in several. */
@Timeout(30)
class SharedWatchTest {
    private final List<Poller> pollers = new ArrayList<>();
    private Pipe pipe;
    /** For whom it rings. */
    private final ConcurrentLinkedQueue<Member> rung = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void open() throws IOException {
        pipe = Pipe.open();
        pipe.source().configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        for (Poller poller : pollers) {
            poller.close();
        }
        pipe.source().close();
        pipe.sink().close();
    }

    private Poller poller() throws IOException {
        Poller poller = new Poller(new PollConfig(0, 8, 1, 0, PollConfig.Yielding.NEVER));
        pollers.add(poller);
        return poller;
    }

    private final class Member extends KernelTold {
        private final List<Runnable> ringers = new CopyOnWriteArrayList<>();
        private final AtomicBoolean ready = new AtomicBoolean();
        private volatile boolean over;

        @Override
        public SelectableChannel watched() {
            return pipe.source();
        }

        @Override
        public boolean isWatchedShared() {
            return true;
        }

        @Override
        public void takeRings() {
            try {
                int unused = pipe.source().read(ByteBuffer.allocate(16));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            for (Member member = rung.poll(); member != null; member = rung.poll()) {
                member.ready.set(true);
                member.ringers.forEach(Runnable::run);
            }
        }

        @Override
        public void addRinger(Runnable ringer) {
            ringers.add(ringer);
        }

        @Override
        public void removeRinger(Runnable ringer) {
            ringers.remove(ringer);
        }

        @Override
        public int watchedOps(int interest) {
            return over ? 0 : interest;
        }

        @Override
        public int kernelReady(int interest, int watchedReady) {
            return ready.getAndSet(false) ? interest : 0;
        }

        @Override
        public boolean retained(Registration registration) {
            return true;
        }

        @Override
        public void released(Registration registration) {
            ringers.clear();
        }
    }

    private void ring(Member... members) throws IOException {
        rung.addAll(List.of(members));
        assertThat(pipe.sink().write(ByteBuffer.allocate(1))).isOne();
    }

    private static List<Object> poll(Poller poller, long timeoutNanos) throws IOException {
        List<Object> found = new ArrayList<>();
        int unused = poller.poll(timeoutNanos, (registration, ops) -> found.add(registration.attachment()));
        return found;
    }

    @Test
    void onlyThoseThatItRingsForAreFound() throws Exception {
        Poller poller = poller();
        Member first = new Member();
        Member second = new Member();
        Member third = new Member();
        Registration one = poller.register(first, OP_READ, "first");
        Registration two = poller.register(second, OP_READ, "second");
        Registration three = poller.register(third, OP_READ, "third");
        assertThat(poll(poller, 0)).isEmpty();
        ring(second);
        assertThat(poll(poller, -1)).containsExactly("second");
        ring(first, third);
        assertThat(poll(poller, -1)).containsExactlyInAnyOrder("first", "third");
        assertThat(poll(poller, 0)).isEmpty();
        for (Registration registration : List.of(one, two, three)) {
            registration.close();
        }
    }

    /** Whichever of the two hears the channel: the other one sleeps, and is woken. */
    @Test
    void anotherPollersRingWakesTheSleeper() throws Exception {
        Poller mine = poller();
        Poller others = poller();
        Member here = new Member();
        Member there = new Member();
        Registration one = mine.register(here, OP_READ, "here");
        Registration two = others.register(there, OP_READ, "there");
        for (int i = 0; i < 200; i++) {
            Background<List<Object>> sleeping = Background.start(() -> poll(others, -1));
            sleeping.awaitAsleep();
            rung.add(there);
            here.takeRings(); // as the one that hears it first
            assertThat(sleeping.get()).containsExactly("there");
            ring(here);
            assertThat(poll(mine, -1)).containsExactly("here");
        }
        one.close();
        two.close();
    }

    @Test
    void theChannelIsLetGoOfWithTheLastThatWatchesIt() throws Exception {
        Poller poller = poller();
        Member first = new Member();
        Member second = new Member();
        Member third = new Member();
        Registration one = poller.register(first, OP_READ, "first");
        Registration two = poller.register(second, OP_READ, "second");
        one.close();
        ring(second);
        assertThat(poll(poller, -1)).containsExactly("second");
        assertThat(first.ringers).isEmpty();
        second.over = true;
        two.refresh();
        assertThat(poll(poller, 0)).isEmpty();
        await().until(() -> !pipe.source().isRegistered());
        assertThat(second.ringers).isEmpty();
        Registration three = poller.register(third, OP_READ, "third");
        ring(third);
        assertThat(poll(poller, -1)).containsExactly("third");
        two.close();
        three.close();
        assertThat(pipe.source().isRegistered()).isFalse();
    }
}
