// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.rdma.verbs.Access;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.Device;
import io.accel.core.fabric.rdma.verbs.MemoryRegion;
import io.accel.core.fabric.rdma.verbs.ProtectionDomain;
import io.accel.core.fabric.rdma.verbs.QueuePairOptions;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import io.accel.core.observe.MemoryUse;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory that a link takes, by the kernel's own account, as long as it has not been given back. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(120)
class LinkMemoryTest {
    /** Processors of a guest are shared, so times of the same thing differ by half. */
    private static final int MOST_QUEUE_PAIRS = 3;

    private static final int CONNECTIONS = 50;
    private static final int MOST_REQUESTS = 256;
    private static final long HANDSHAKE_NANOS = 10_000_000_000L;

    /** Of an end's own copies of its requests. */
    private static final int MOST_FOR_REQUESTS = 16 << 10;
    /** Soft-RoCE takes whole pages for each queue, and a power of two of requests. */
    private static final int MOST_FOR_SMALL_QUEUES = 64 << 10;

    /** The bytes that all links of this process take of each kind of memory. */
    private record Taken(long pinned, long registered, long kernel, long direct) {
        static Taken now() throws IOException {
            long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .mapToLong(BufferPoolMXBean::getMemoryUsed)
                    .sum();
            return new Taken(
                    kibibytes("/proc/self/status", "VmPin:"),
                    MemoryUse.registered(),
                    kibibytes("/proc/meminfo", "VmallocUsed:"),
                    direct);
        }

        Taken since(Taken before) {
            return new Taken(
                    pinned - before.pinned,
                    registered - before.registered,
                    kernel - before.kernel,
                    direct - before.direct);
        }

        Taken dividedBy(int links) {
            return new Taken(pinned / links, registered / links, kernel / links, direct / links);
        }

        private static long kibibytes(String file, String name) throws IOException {
            return Files.readAllLines(Path.of(file)).stream()
                            .filter(line -> line.startsWith(name))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                            .findFirst()
                            .orElseThrow()
                    * 1024;
        }
    }

    /** Otherwise the buffers of an earlier test may be freed in the middle of this one. */
    private static void freeGarbage() throws IOException {
        System.gc();
        AtomicLong last = new AtomicLong(Taken.now().direct);
        await().atMost(30, TimeUnit.SECONDS)
                .pollInterval(200, TimeUnit.MILLISECONDS)
                .until(() -> {
                    long now = Taken.now().direct;
                    return last.getAndSet(now) == now;
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 64, 256})
    void aLinkPinsItsRingsAloneAndTheDevicesQueuesAreInProportion(int ringKiB) throws Exception {
        int ring = ringKiB << 10;
        List<RdmaEnds.Pair> pairs = new ArrayList<>();
        freeGarbage();
        Taken empty = Taken.now();
        try (RdmaEnds ends =
                new RdmaEnds(RdmaEnds.config(ring, MOST_REQUESTS, false, HANDSHAKE_NANOS), RdmaDevice.address())) {
            pairs.add(ends.connect("waiter", ring));
            Taken before = Taken.now();
            long begun = System.nanoTime();
            for (int i = 0; i < CONNECTIONS; i++) {
                pairs.add(ends.connect("waiter", ring));
            }
            long nanos = (System.nanoTime() - begun) / CONNECTIONS;
            Taken one = Taken.now().since(before).dividedBy(2 * CONNECTIONS);
            System.out.printf(
                    Locale.ROOT,
                    "one end of a link with rings of %d KiB: %,d bytes pinned, %,d of the device's queues, %,d of direct buffers; both ends are made in %,d us%n",
                    ringKiB,
                    one.pinned,
                    one.kernel,
                    one.direct,
                    nanos / 1000);
            long rings = 2L * (ring + RingMemory.PAGE);
            assertThat(one.registered).isEqualTo(rings);
            assertThat(one.pinned).isEqualTo(rings);
            assertThat(one.direct).isBetween(rings, rings + RingMemory.PAGE + MOST_FOR_REQUESTS);
            assertThat(one.kernel).isLessThan(rings + MOST_FOR_SMALL_QUEUES);
        } finally {
            pairs.forEach(RdmaEnds.Pair::free);
        }
        await().atMost(30, TimeUnit.SECONDS).until(() -> Taken.now().registered == empty.registered);
        assertThat(Taken.now().pinned).isEqualTo(empty.pinned);
    }

    /** So there is little to gain from rings that are cut from a region which is registered once. */
    @Test
    void aDomainAndItsRegionsTakeNoMoreTimeThanAFewQueuePairs() throws Exception {
        int rounds = 101;
        long[] regions = new long[rounds];
        long[] pairs = new long[rounds];
        RingMemory memory = new RingMemory(RdmaEnds.RING);
        try (Context context = Device.list().get(0).open();
                CompletionQueue queue = context.createCompletionQueue(rounds, null)) {
            for (int i = -rounds; i < rounds; i++) { // those before 0 warm the code up
                int slot = Math.floorMod(i, rounds);
                long begun = System.nanoTime();
                try (ProtectionDomain domain = context.allocateProtectionDomain();
                        MemoryRegion in = domain.register(memory.inbound(), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
                        MemoryRegion out = domain.register(memory.outbound(), 0)) {
                    long registered = System.nanoTime();
                    assertThat(in.rkey()).isNotEqualTo(out.rkey());
                    int unused = domain.tryQueuePair(new QueuePairOptions(queue, queue, 64, 64, 1, 220));
                    regions[slot] = registered - begun;
                    pairs[slot] = System.nanoTime() - registered;
                }
            }
        } finally {
            memory.free();
        }
        Arrays.sort(regions);
        Arrays.sort(pairs);
        System.out.printf(
                "a protection domain with two regions takes %d us to make, a queue pair %d to make and destroy (medians)%n",
                regions[rounds / 2] / 1000, pairs[rounds / 2] / 1000);
        assertThat(regions[rounds / 2]).isLessThan(MOST_QUEUE_PAIRS * pairs[rounds / 2]);
    }
}
