// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.RdmaLinkTest.End;
import io.accel.core.fabric.rdma.verbs.KernelResources;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Links that one poller serves share a completion queue: each gets its own, of all that comes, and none what is another's. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(120)
class SharedQueueTest {
    private static final int DEPTH = 32;
    /** For so many links the first queue of a poller has room, and the second, or for more, as the device likes. */
    private static final int FIRST = 4;

    private static final int SECOND = 8;

    private RdmaEnds ends;
    private final List<RdmaEnds.Pair> pairs = new ArrayList<>();
    private final List<End> clients = new ArrayList<>();
    private final List<End> servers = new ArrayList<>();

    @BeforeEach
    void listen() throws Exception {
        ends = new RdmaEnds(DEPTH);
        ends.clientsHome = new Object();
        ends.serversHome = new Object();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        pairs.forEach(RdmaEnds.Pair::free);
        ends.close();
        Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(KernelResources.ofThisProcess())
                .doesNotContain("qp: ", "cq: ", "mr: ", "pd: "));
        assertThat(sharedQueues()).isZero();
    }

    private static int sharedQueues() throws Exception {
        return CmService.get().queues().sharedQueues();
    }

    private void connect(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            RdmaEnds.Pair pair = ends.connect();
            clients.add(new End(pair.client(), pairs.size()));
            servers.add(new End(pair.server(), 100 + pairs.size()));
            pairs.add(pair);
        }
    }

    private static DeviceQueue queueOf(Link link) {
        return ((RdmaLink) link).endpoint().place().queue();
    }

    /** For how many links it has room, each of which may have all its receives, and all its sends, complete at once. */
    private int roomIn(DeviceQueue queue) {
        int completions = ((RdmaLink) pairs.get(0).client()).endpoint().place().completions();
        assertThat(completions).isGreaterThanOrEqualTo(2 * DEPTH);
        return queue.entries() / completions;
    }

    private Set<DeviceQueue> clientsQueues() {
        Set<DeviceQueue> all = new HashSet<>();
        pairs.forEach(pair -> all.add(queueOf(pair.client())));
        return all;
    }

    /** Each client writes more than a ring takes, and each server reads that and nothing else; then the other way. */
    private void talk(List<Integer> which) throws Exception {
        for (int round = 0; round < 3; round++) {
            for (int i : which) {
                long sent = clients.get(i).fill(1 + 371 * i);
                assertThat(sent).isPositive();
                servers.get(i).expectMore(clients.get(i).seed, sent);
                clients.get(i).expectMore(servers.get(i).seed, servers.get(i).fill(40_000));
            }
        }
    }

    @Test
    void aPollersLinksShareAQueueAndTheNextOneOpensAnother() throws Exception {
        connect(1);
        assertThat(sharedQueues()).as("one of the clients, one of the servers").isEqualTo(2);
        int first = roomIn(queueOf(pairs.get(0).client()));
        assertThat(first).isGreaterThanOrEqualTo(FIRST);
        connect(first - 1);
        assertThat(clientsQueues()).hasSize(1);
        connect(1);
        assertThat(clientsQueues()).hasSize(2);
        int second = roomIn(queueOf(pairs.get(first).client()));
        assertThat(second).isGreaterThanOrEqualTo(SECOND);
        connect(second - 1);
        assertThat(clientsQueues()).hasSize(2);
        connect(1);
        assertThat(clientsQueues()).hasSize(3);
        assertThat(sharedQueues()).isEqualTo(6);
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            all.add(i);
        }
        talk(all);
    }

    @Test
    void aLinkThatNothingPollsHasAQueueOfItsOwn() throws Exception {
        connect(1);
        ends.clientsHome = null;
        connect(2);
        assertThat(clientsQueues()).hasSize(3);
        assertThat(pairs.get(0).client().sharesDoorbell()).isTrue();
        assertThat(pairs.get(1).client().sharesDoorbell()).isFalse();
        assertThat(pairs.get(1).client().doorbell())
                .isNotSameAs(pairs.get(2).client().doorbell());
        talk(List.of(0, 1, 2));
    }

    /** What the slow one does not read waits at its sender; the fast one's credits are its own. */
    @Test
    void aReaderThatDoesNotReadKeepsNoOtherWaiting() throws Exception {
        connect(2);
        long unread = clients.get(0).fill(1);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (servers.get(1).received < 2_000_000) {
            clients.get(1).write(5_000);
            servers.get(1).read(clients.get(1).seed, 8_000);
            clients.get(0).write(1);
            assertThat(System.nanoTime() - deadline)
                    .as("stuck at " + servers.get(1).received)
                    .isNegative();
        }
        assertThat(clients.get(0).sent).isGreaterThanOrEqualTo(unread);
        servers.get(0).expect(clients.get(0).seed, clients.get(0).sent);
        servers.get(1).expect(clients.get(1).seed, clients.get(1).sent);
    }

    /** Its place goes to the next link, which hears nothing of what was under way when it closed. */
    @Test
    void whatIsUnderWayWhenALinkClosesIsNobodyElses() throws Exception {
        connect(1);
        for (int round = 0; round < 20; round++) {
            RdmaEnds.Pair pair = ends.connect();
            End closing = new End(pair.client(), round);
            End unread = new End(pair.server(), 50 + round);
            assertThat(closing.fill(1 + 97 * round)).isPositive();
            assertThat(unread.fill(700)).isPositive();
            pair.client().signal(Link.RST | Link.CLOSED);
            pair.client().free();
            pair.server().free();
            talk(List.of(0));
            assertThat(sharedQueues()).isLessThanOrEqualTo(4); // those that have closed may linger
        }
        assertThat(clientsQueues()).hasSize(1);
    }

    @Test
    void aLinkThatBreaksLeavesTheOthersWhole() throws Exception {
        connect(3);
        talk(List.of(0, 1, 2));
        clients.get(1).fill(100);
        pairs.get(1).client().breakNow();
        Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
            pairs.get(1).client().published();
            pairs.get(1).server().published();
            return pairs.get(1).client().peerGone() && pairs.get(1).server().peerGone();
        });
        assertThat(pairs.get(1).client().peerState() & Link.BROKEN).isNotZero();
        talk(List.of(0, 2));
        assertThat(pairs.get(0).client().peerState() & Link.BROKEN).isZero();
    }

    @Test
    void aTurnOverManyLinksPollsTheirQueueOnce() throws Exception {
        connect(FIRST);
        turns(10);
        DeviceQueue queue = queueOf(pairs.get(0).client());
        long before = queue.polls();
        turns(1_000);
        assertThat(queue.polls() - before).as("polls of 1000 turns").isBetween(900L, 1_100L);
        // The one whose looks polled for all is looked at no more.
        pairs.remove(pairs.size() - 1).free();
        pairs.remove(0).free();
        clients.remove(0);
        servers.remove(0);
        turns(10);
        long then = queue.polls();
        turns(1_000);
        assertThat(queue.polls() - then).as("polls of 1000 turns without it").isBetween(900L, 1_100L);
        long sent = servers.get(0).fill(1_000);
        clients.get(0).expectMore(servers.get(0).seed, sent);
    }

    /** A look may be left to other links' looks; what is asked for once is not. */
    @Test
    void whatHasArrivedIsTakenInAtOnce() throws Exception {
        connect(FIRST);
        turns(10);
        for (RdmaEnds.Pair pair : pairs) {
            turns(1);
            pair.server().signal(Link.URGENT_INLINE); // returns when it has arrived
            pair.client().takeIn();
            assertThat(pair.client().peerState() & Link.URGENT_INLINE).isNotZero();
        }
    }

    private void turns(int count) {
        for (int i = 0; i < count; i++) {
            for (RdmaEnds.Pair pair : pairs) {
                long unused = pair.client().published();
            }
        }
    }

    /** As long as one of them waits, the queue tells, whichever link's message came before. */
    @Test
    void aRingIsForTheLinkThatHasNewsAlone() throws Exception {
        connect(FIRST);
        List<AtomicInteger> rings = new ArrayList<>();
        for (RdmaEnds.Pair pair : pairs) {
            AtomicInteger count = new AtomicInteger();
            rings.add(count);
            pair.client().whenRung(count::incrementAndGet);
            pair.client().takeIn();
        }
        for (RdmaEnds.Pair pair : pairs) {
            pair.client().arm(Link.DATA);
        }
        try (Selector selector = Selector.open()) {
            SelectionKey key = pairs.get(0).client().doorbell().register(selector, SelectionKey.OP_READ);
            for (int i : new int[] {2, 1, 3}) {
                assertThat(servers.get(i).write(300)).isEqualTo(300);
                awaitRing(selector, rings.get(i));
                assertThat(rings.get(i)).hasValue(1);
                assertThat(pairs.get(i).client().takeRing()).isTrue();
                assertThat(pairs.get(i).client().takeRing()).isFalse();
                clients.get(i).expect(servers.get(i).seed, 300);
            }
            assertThat(rings.get(0)).hasValue(0);
            assertThat(pairs.get(0).client().takeRing()).isFalse();
            // It was told once, and has not asked again.
            assertThat(servers.get(2).write(300)).isEqualTo(300);
            assertThat(servers.get(0).write(300)).isEqualTo(300);
            awaitRing(selector, rings.get(0));
            clients.get(2).expect(servers.get(2).seed, 600);
            assertThat(rings.get(2)).hasValue(1);
            key.cancel();
        }
    }

    /** The poller's part: link 0 is the one that takes the rings. */
    private void awaitRing(Selector selector, AtomicInteger rings) throws Exception {
        int before = rings.get();
        while (rings.get() == before) {
            // The service's thread looks at a silent link each second, and rings as well, but not by the doorbell.
            assertThat(selector.select(10_000)).as("the doorbell rings").isPositive();
            selector.selectedKeys().clear();
            boolean unused = pairs.get(0).client().drainDoorbell();
        }
    }
}
