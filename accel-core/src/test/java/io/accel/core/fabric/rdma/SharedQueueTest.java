// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.Background;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The completions of several links in one queue: each reaches its own link, wakes who sleeps for that, and finds room. */
@Timeout(60)
class SharedQueueTest {
    private static final int DEPTH = 8;

    private FakeCompletions device;

    private SharedQueue queue(int places) {
        device = new FakeCompletions(SharedQueue.entries(places, DEPTH), 4);
        return new SharedQueue(device, places, DEPTH, true);
    }

    private static Arrivals arrivals() {
        return new Arrivals(new Inbound(), null);
    }

    /** A link as the queue sees it, with the number of its rings. */
    private static final class End {
        final Arrivals arrivals = arrivals();
        final AtomicInteger rings = new AtomicInteger();
        final SharedQueue.Place place;
        private long receives;
        private long sends;

        End(SharedQueue queue) {
            place = queue.join(arrivals);
            place.addRinger(rings::incrementAndGet);
        }

        long bytes() {
            return arrivals.in().published();
        }

        /** As a link does: what has arrived is posted again. */
        void completeAllThatMayBeOutstanding(FakeCompletions device) {
            for (; receives < arrivals.received() + DEPTH; receives++) {
                device.data(place.receiveId(), 1);
            }
            for (; sends < arrivals.sent() + DEPTH; sends++) {
                device.sent(place.sendId(sends));
            }
        }
    }

    @Test
    void whoeverPollsBringsEachLinkItsOwn() throws Exception {
        SharedQueue queue = queue(3);
        End a = new End(queue);
        End b = new End(queue);
        End c = new End(queue);
        device.data(b.place.receiveId(), 5);
        device.sent(a.place.sendId(0));
        device.sent(a.place.sendId(1));
        device.data(b.place.receiveId(), 7);
        device.sent(c.place.sendId(16));
        device.flushed(c.place.receiveId());
        a.place.poll();
        assertThat(a.arrivals.sent()).isEqualTo(2);
        assertThat(b.bytes()).isEqualTo(12);
        assertThat(b.arrivals.received()).isEqualTo(2);
        assertThat(c.arrivals.sent()).isEqualTo(17);
        assertThat(c.arrivals.received()).isEqualTo(1);
        assertThat(c.arrivals.failure()).isNotZero();
        assertThat(c.arrivals.isReceiveFailed()).isTrue();
        assertThat(a.arrivals.failure()).isZero();
    }

    @Test
    void aLookThatTakesSomeLeavesTheOthersToTheNext() throws Exception {
        SharedQueue queue = queue(2);
        End a = new End(queue);
        End b = new End(queue);
        for (int i = 0; i < DEPTH; i++) {
            device.data(a.place.receiveId(), 1);
        }
        b.place.glance();
        assertThat(a.bytes()).isEqualTo(4);
        b.place.glance();
        assertThat(a.bytes()).isEqualTo(8);
    }

    @Test
    void anotherLinksPollRingsForASleeperOnce() throws Exception {
        SharedQueue queue = queue(2);
        End a = new End(queue);
        End b = new End(queue);
        b.place.arm(Wanted.SOLICITED);
        device.credit(b.place.receiveId()); // for which the sleeper need not wake
        a.place.poll();
        assertThat(b.rings).hasValue(0);
        device.data(b.place.receiveId(), 1);
        a.place.poll();
        assertThat(b.rings).hasValue(1);
        device.data(b.place.receiveId(), 1);
        a.place.poll();
        assertThat(b.rings).hasValue(1);
        assertThat(a.rings).hasValue(0);
        assertThat(b.place.drain()).isTrue();
        assertThat(b.place.drain()).isFalse();
    }

    @Test
    void theStrongestWishOfAllSleepersCounts() throws Exception {
        SharedQueue queue = queue(3);
        End a = new End(queue);
        End b = new End(queue);
        End c = new End(queue);
        a.place.arm(Wanted.SOLICITED);
        device.credit(a.place.receiveId());
        assertThat(device.isAnnounced()).isFalse();
        b.place.arm(Wanted.ALL);
        c.place.arm(Wanted.SOLICITED);
        device.credit(c.place.receiveId());
        assertThat(device.isAnnounced()).isTrue();
        a.place.takeRings(); // nobody's: b still waits for anything, c for more than that
        assertThat(a.rings.get() + b.rings.get() + c.rings.get()).isZero();
        device.sent(b.place.sendId(0));
        assertThat(device.isAnnounced()).isTrue();
        c.place.takeRings();
        assertThat(b.rings).hasValue(1);
        device.credit(a.place.receiveId());
        assertThat(device.isAnnounced()).isFalse(); // nobody waits for anything like that any more
        device.data(c.place.receiveId(), 1);
        assertThat(device.isAnnounced()).isTrue();
    }

    @Test
    void nothingIsAskedOfTheDeviceWhileItHasBeenAsked() throws Exception {
        SharedQueue queue = queue(2);
        End a = new End(queue);
        End b = new End(queue);
        a.place.arm(Wanted.ALL);
        b.place.arm(Wanted.SOLICITED);
        b.place.arm(Wanted.ALL);
        assertThat(device.requests).isEqualTo(1);
    }

    @Test
    void aLateCompletionGoesToNobody() throws Exception {
        SharedQueue queue = queue(1);
        End first = new End(queue);
        long send = first.place.sendId(3);
        long receive = first.place.receiveId();
        assertThat(queue.join(arrivals())).isNull();
        assertThat(queue.leave(first.place)).isTrue();
        End second = new End(queue);
        second.place.arm(Wanted.ALL);
        device.data(receive, 1);
        device.sent(send);
        device.flushed(receive);
        device.flushed(7L << 56); // of a place that there is not
        device.flushed(-1);
        second.place.poll();
        assertThat(second.arrivals.completions()).isZero();
        assertThat(second.arrivals.failure()).isZero();
        assertThat(second.bytes()).isZero();
        assertThat(second.rings).hasValue(0);
    }

    @Test
    void thePlaceOfALinkThatIsGoneHasRoomForTheNext() throws Exception {
        SharedQueue queue = queue(1);
        for (int i = 0; i < 10; i++) {
            End end = new End(queue);
            for (int k = 0; k < 2 * DEPTH; k++) {
                device.flushed(end.place.receiveId());
            }
            assertThat(queue.leave(end.place)).isTrue(); // nobody has polled
        }
    }

    /** As many links as there are places, each with all that it may have outstanding, and some of them gone and followed by others. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 64})
    void theQueueCannotBeOverrun(int places) throws Exception {
        SharedQueue queue = queue(places);
        SplittableRandom random = new SplittableRandom(places);
        List<End> ends = new ArrayList<>();
        while (ends.size() < places) {
            ends.add(new End(queue));
        }
        for (int round = 0; round < 2_000; round++) {
            ends.forEach(end -> end.completeAllThatMayBeOutstanding(device));
            int index = random.nextInt(places);
            switch (random.nextInt(10)) {
                case 0 -> ends.get(index).place.poll();
                case 1 -> {
                    queue.leave(ends.get(index).place);
                    ends.set(index, new End(queue));
                }
                default -> ends.get(index).place.glance();
            }
        }
        assertThat(device.most).isEqualTo(places * 2 * DEPTH);
    }

    @Test
    void aQueueHasNoMoreLinksThanItsDeviceAllows() {
        assertThat(SharedQueue.places(64, 256, 1 << 22)).isEqualTo(64);
        assertThat(SharedQueue.places(1_000, 256, 1 << 22)).isEqualTo(RequestId.PLACES);
        assertThat(SharedQueue.places(64, 256, 4_000)).isEqualTo(7);
        assertThat(SharedQueue.places(64, 256, 0)).isEqualTo(1);
        for (int depth : new int[] {32, 256, 4_096}) {
            for (int most = 2 * depth + SharedQueue.SPARE; most < 100_000; most += 777) {
                int places = SharedQueue.places(64, depth, most);
                assertThat(SharedQueue.entries(places, depth)).isLessThanOrEqualTo(most);
                assertThat(SharedQueue.entries(places, depth)).isGreaterThanOrEqualTo(places * 2 * depth);
            }
        }
    }

    /**
     * Two sleepers, each woken by rings or by the announcement alone, beside a thread that looks at the queue for a third link, as pollers
     * do. A lost wake-up leaves a sleeper without its next message.
     */
    @Test
    void noWakeUpIsLost() throws Exception {
        SharedQueue queue = queue(3);
        End looker = new End(queue);
        Sleeper first = new Sleeper(queue);
        Sleeper second = new Sleeper(queue);
        List<Sleeper> sleepers = List.of(first, second);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        List<Background<Void>> threads = new ArrayList<>();
        for (Sleeper sleeper : sleepers) {
            threads.add(Background.start(() -> {
                while (!sleeper.over) {
                    sleeper.armAndWait();
                }
                return null;
            }));
        }
        threads.add(Background.start(() -> {
            while (!first.over) {
                looker.place.glance();
            }
            return null;
        }));
        long messages = 0;
        while (System.nanoTime() - end < 0) {
            messages++;
            for (Sleeper sleeper : sleepers) {
                device.data(sleeper.place.receiveId(), 1);
                if (device.isAnnounced()) {
                    sleepers.forEach(each -> each.woken.release());
                }
            }
            for (Sleeper sleeper : sleepers) {
                assertThat(sleeper.heard.tryAcquire(20, TimeUnit.SECONDS))
                        .as("message %d", messages)
                        .isTrue();
            }
        }
        for (Sleeper sleeper : sleepers) {
            sleeper.over = true;
            sleeper.woken.release();
        }
        for (Background<Void> thread : threads) {
            thread.get(20, TimeUnit.SECONDS);
        }
        assertThat(messages).isGreaterThan(100);
    }

    private static final class Sleeper {
        final Arrivals arrivals = arrivals();
        final SharedQueue.Place place;
        final Semaphore woken = new Semaphore(0);
        final Semaphore heard = new Semaphore(0);
        volatile boolean over;
        private long seen;

        Sleeper(SharedQueue queue) {
            place = queue.join(arrivals);
            place.addRinger(woken::release);
        }

        private boolean look() {
            long now = arrivals.in().published();
            boolean isNew = now > seen;
            heard.release((int) (now - seen));
            seen = now;
            return isNew;
        }

        /** Arms, looks, and sleeps until it is rung for or has seen the announcement; then it looks only at what it was rung for. */
        void armAndWait() throws Exception {
            place.arm(Wanted.SOLICITED);
            while (!look() && !over) {
                woken.acquire();
                if (place.drain()) {
                    return;
                }
            }
        }
    }
}
