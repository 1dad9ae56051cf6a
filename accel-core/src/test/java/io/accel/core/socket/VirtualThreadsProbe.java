// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Runs in a JVM that has virtual threads, with a single carrier: a wait that pinned it would keep the peer, a virtual thread
 * too, from ever answering.
 */
final class VirtualThreadsProbe {
    private static final int CONNECTIONS = 20;
    private static final long BYTES = 300_000;

    private VirtualThreadsProbe() {}

    public static void main(String[] args) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("ring.size", "16KiB", "poll.spin", "0"))) {
            BlockingWaits waits = lab.accelerator.waits();
            List<Lab.Pair> pairs = new ArrayList<>();
            List<FutureTask<Long>> tasks = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Lab.Pair pair = lab.connect();
                pairs.add(pair);
                int seed = i;
                // Both ways: a reader and a writer wait for one connection, and only one of them hears its doorbell.
                tasks.add(virtual(() -> Streams.receive(waits, pair.server(), BYTES, seed)));
                tasks.add(virtual(() -> Streams.receive(waits, pair.client(), BYTES, ~seed)));
                tasks.add(virtual(() -> send(waits, pair.client(), seed)));
                tasks.add(virtual(() -> send(waits, pair.server(), ~seed)));
            }
            for (FutureTask<Long> task : tasks) {
                if (task.get(20, TimeUnit.SECONDS) != BYTES) {
                    throw new AssertionError("short transfer");
                }
            }
            System.out.println("transferred");
            List<FutureTask<Long>> readers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Lab.Pair pair = lab.connect(); // others: directions of those above may have gone back to the kernel
                pairs.add(pair);
                FutureTask<Long> reader =
                        new FutureTask<>(() -> (long) Streams.read(waits, pair.client(), ByteBuffer.allocate(1)));
                readers.add(reader);
                threads.add(VirtualThreadStarter.start(reader));
            }
            await().until(() -> threads.stream().allMatch(VirtualThreadStarter::waits));
            for (Lab.Pair pair : pairs.subList(CONNECTIONS, pairs.size())) {
                pair.server().close(() -> false, false);
            }
            for (FutureTask<Long> reader : readers) {
                if (reader.get(20, TimeUnit.SECONDS) != -1) {
                    throw new AssertionError("no end");
                }
            }
            System.out.println("ended");
            for (Lab.Pair pair : pairs) {
                pair.close();
            }
            // The thread that polls for all of them lets go when it wakes, which is very soon.
            await().until(() -> lab.mappings() == 0);
            System.out.println("mappings " + lab.mappings());
        }
    }

    private static long send(BlockingWaits waits, StreamSocket to, int seed) throws Exception {
        Streams.send(waits, to, BYTES, seed);
        return BYTES;
    }

    private static FutureTask<Long> virtual(Callable<Long> call) {
        FutureTask<Long> task = new FutureTask<>(call);
        Thread unused = VirtualThreadStarter.start(task);
        return task;
    }
}
