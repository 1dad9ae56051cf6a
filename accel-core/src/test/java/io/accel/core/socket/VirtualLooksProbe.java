// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs in a JVM that has virtual threads: counts how often a waiting thread looks at a connection, as a platform thread and as a virtual
 * one, with settings by which threads look for as long as they wait.
 */
final class VirtualLooksProbe {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int LIMIT_SECONDS = 20;

    private VirtualLooksProbe() {}

    public static void main(String[] args) throws Exception {
        try (Lab lab = new Lab("latency", Map.of())) {
            Lab.Pair pair = lab.connect();
            LinkStream link = pair.client().incoming().link();
            for (PollConfig.Yielding yielding : PollConfig.Yielding.values()) {
                PollConfig config = new PollConfig(Long.MAX_VALUE, 200, 64, 1, yielding);
                BlockingWaits waits = new BlockingWaits(config);
                report("blocked " + yielding, link, counted -> blocked(waits, link, counted));
                report("polled " + yielding, link, counted -> polled(config, counted));
            }
            pair.close();
        }
    }

    private interface Wait {
        void on(BlockingWaits.Waitable counted) throws Exception;
    }

    private static void report(String what, LinkStream link, Wait wait) throws Exception {
        AtomicInteger byPlatform = new AtomicInteger();
        Streams.start(run(wait, counting(link, byPlatform))).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        AtomicInteger byVirtual = new AtomicInteger();
        FutureTask<Void> virtual = new FutureTask<>(run(wait, counting(link, byVirtual)));
        Thread unused = VirtualThreadStarter.start(virtual);
        virtual.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        System.out.println(what + ": " + byPlatform + " looks, by a virtual thread " + byVirtual);
    }

    private static Callable<Void> run(Wait wait, BlockingWaits.Waitable counted) {
        return () -> {
            wait.on(counted);
            return null;
        };
    }

    /** As a read does. */
    private static void blocked(BlockingWaits waits, LinkStream link, BlockingWaits.Waitable counted) throws Exception {
        link.reader().lock();
        try {
            boolean unused = waits.glance(counted, SelectionKey.OP_READ);
            waits.await(counted, SelectionKey.OP_READ, WAIT_NANOS);
        } finally {
            link.reader().unlock();
        }
    }

    /** As a selector does. */
    private static void polled(PollConfig config, BlockingWaits.Waitable counted) throws Exception {
        try (Poller poller = new Poller(config)) {
            Registration registration = poller.register(counted, SelectionKey.OP_READ, null);
            int unused = poller.pollPunctually(WAIT_NANOS, (ready, ops) -> {});
            registration.close();
        }
    }

    /** The connection, whose looks are counted. */
    private static BlockingWaits.Waitable counting(LinkStream link, AtomicInteger looks) {
        return (BlockingWaits.Waitable) Proxy.newProxyInstance(
                VirtualLooksProbe.class.getClassLoader(),
                new Class<?>[] {BlockingWaits.Waitable.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("look")) {
                        looks.incrementAndGet();
                    }
                    try {
                        return method.invoke(link, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
