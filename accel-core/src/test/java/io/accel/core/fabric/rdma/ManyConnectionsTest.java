// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import io.accel.testing.Background;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Many links on one device: how many queues and descriptors they take, and how they wake each other's waiters. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(120)
class ManyConnectionsTest {
    private static final int CONNECTIONS = 200;

    private final List<RdmaEnds.Pair> pairs = new ArrayList<>();
    private final int queuesBefore = SharedQueues.count();

    @AfterEach
    void nothingIsLeft() {
        pairs.forEach(RdmaEnds.Pair::free);
        await().atMost(30, TimeUnit.SECONDS).until(() -> SharedQueues.count() <= queuesBefore);
    }

    private static int descriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }

    private void connect(RdmaEnds ends, int connections, Object waiter) throws Exception {
        for (int i = 0; i < connections; i++) {
            pairs.add(ends.connect(waiter));
        }
    }

    private Stream<Link> links() {
        return pairs.stream().flatMap(pair -> Stream.of(pair.client(), pair.server()));
    }

    /** Those of the RDMA objects alone: the kernel's sockets, which streams have beside them, are not here. */
    @Test
    void manyShareFewQueuesAndDescriptors() throws Exception {
        try (RdmaEnds ends = new RdmaEnds(32, RdmaDevice.address())) {
            connect(ends, 1, null);
            int before = descriptors();
            connect(ends, CONNECTIONS - 1, null);
            int queues = SharedQueues.count() - queuesBefore;
            int more = descriptors() - before;
            System.out.printf(
                    "%d connections, both ends: %d completion queues, %d descriptors more than one has%n",
                    CONNECTIONS, queues, more);
            assertThat(queues).isLessThanOrEqualTo(12);
            assertThat(more).isLessThanOrEqualTo(2 * queues);
            assertThat(links().map(Link::doorbell).distinct().count()).isEqualTo(queues);
            for (RdmaEnds.Pair pair : pairs) {
                pair.client().publish(0, 100);
            }
            for (RdmaEnds.Pair pair : pairs) {
                await().pollInSameThread().until(() -> pair.server().published() == 100);
            }
            for (RdmaEnds.Pair pair : pairs) {
                assertThat(pair.client().published()).isZero();
            }
        }
    }

    @Test
    void linksOfAnotherWaiterHaveAnotherQueue() throws Exception {
        try (RdmaEnds ends = new RdmaEnds(32, RdmaDevice.address())) {
            connect(ends, 3, "one");
            connect(ends, 3, "two");
            var ofOne = pairs.subList(0, 3).stream()
                    .map(pair -> pair.client().doorbell())
                    .distinct()
                    .toList();
            var ofTwo = pairs.subList(3, 6).stream()
                    .map(pair -> pair.client().doorbell())
                    .distinct()
                    .toList();
            assertThat(ofOne).hasSize(2).doesNotContainAnyElementsOf(ofTwo);
            assertThat(ofTwo).hasSize(2);
        }
    }

    /** One thread polls for a link of its own, and so takes the completions of the others, whose waiters sleep. */
    @Test
    void sleepersAreWokenWhoeverTakesTheirCompletions() throws Exception {
        try (RdmaEnds ends = new RdmaEnds(32, RdmaDevice.address())) {
            connect(ends, 40, null);
            RdmaEnds.Pair polled = pairs.get(39);
            boolean[] over = new boolean[1];
            Background<Void> polling = Background.start(() -> {
                while (!isOver(over)) {
                    polled.server().published();
                    polled.client().published();
                    Thread.yield();
                }
                return null;
            });
            long cursor = 0;
            for (int round = 0; round < 20; round++) {
                long next = cursor + 10;
                for (RdmaEnds.Pair pair : pairs.subList(5, 35)) {
                    Semaphore woken = new Semaphore(0);
                    Runnable ringer = woken::release;
                    pair.server().addRinger(ringer);
                    pair.server().arm(Link.DATA);
                    pair.client().publish(cursor, next);
                    if (pair.server().published() != next) {
                        assertThat(woken.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
                    }
                    await().pollInSameThread().until(() -> pair.server().published() == next);
                    pair.server().removeRinger(ringer);
                }
                cursor = next;
            }
            synchronized (over) {
                over[0] = true;
            }
            polling.get(20, TimeUnit.SECONDS);
        }
    }

    private static boolean isOver(boolean[] over) {
        synchronized (over) {
            return over[0];
        }
    }

    /** Its peer sends far more messages than it has receives for; whoever polls for the others takes its completions. */
    @Test
    void aLinkThatNobodyServesHoldsNoOtherUp() throws Exception {
        int depth = 32;
        int messages = 20 * depth;
        try (RdmaEnds ends = new RdmaEnds(depth, RdmaDevice.address())) {
            connect(ends, 10, null);
            RdmaEnds.Pair slow = pairs.get(6);
            RdmaEnds.Pair quick = pairs.get(7);
            assertThat(slow.server().doorbell()).isSameAs(quick.server().doorbell());
            for (int i = 1; i <= messages; i++) {
                int cursor = i;
                slow.client().publish(cursor - 1, cursor);
                quick.client().publish(cursor - 1, cursor);
                await().pollInSameThread().until(() -> quick.server().published() == cursor);
                quick.server().publish(cursor - 1, cursor);
                await().pollInSameThread().until(() -> quick.client().published() == cursor);
            }
            assertThat(slow.client().peerState()).as("a link that is whole").isZero();
            await().pollInSameThread().until(() -> {
                slow.client().published();
                return slow.server().published() == messages;
            });
        }
    }

    /** The places of links that were closed are given to others, which hear nothing of those. */
    @Test
    void placesAreUsedAgain() throws Exception {
        try (RdmaEnds ends = new RdmaEnds(32, RdmaDevice.address())) {
            connect(ends, 20, null);
            int queues = SharedQueues.count();
            for (int round = 0; round < 20; round++) {
                RdmaEnds.Pair gone = pairs.remove(7);
                gone.client().publish(0, 50);
                gone.client().signal(Link.RST | Link.CLOSED);
                gone.free();
                RdmaEnds.Pair come = ends.connect(null);
                pairs.add(come);
                assertThat(come.server().published()).isZero();
                come.client().publish(0, 10);
                await().pollInSameThread().until(() -> come.server().published() == 10);
                assertThat(come.server().peerState()).isZero();
            }
            assertThat(SharedQueues.count()).isLessThanOrEqualTo(queues + 1);
        }
    }
}
