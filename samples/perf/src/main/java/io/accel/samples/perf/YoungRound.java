// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One round of a case that measures programs from the start of their JVMs on: both ends start at the same time, and are gone when it is over. Used
 * by one thread.
 */
final class YoungRound {
    /** The time for a JVM to start, on a slow and busy machine, beside the time that is measured. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The places of the ticks in user mode and in the kernel in {@code stat}, counted behind the name. */
    private static final int USER_TICKS = 11;

    private static final int KERNEL_TICKS = 12;
    private static final double TICKS_PER_SECOND = 100;

    private final JvmCommand jvm;
    private final BenchCase benchCase;
    private final Variant variant;

    private YoungRound(JvmCommand jvm, BenchCase benchCase, Variant variant) {
        this.jvm = jvm;
        this.benchCase = benchCase;
        this.variant = variant;
    }

    static Sample measure(JvmCommand jvm, BenchCase benchCase, Variant variant)
            throws IOException, InterruptedException {
        if (variant.accelerated() && !jvm.canAccelerate()) {
            throw new IOException("cannot accelerate, since there is no " + jvm.accelJar());
        }
        if (benchCase.kind.isNetty() && !Files.isRegularFile(jvm.nettyJar())) {
            throw new IOException("there is no " + jvm.nettyJar() + "; './accel perf' builds it");
        }
        return new YoungRound(jvm, benchCase, variant).measure();
    }

    private Sample measure() throws IOException, InterruptedException {
        Kind kind = benchCase.kind;
        List<String> arguments = new ArrayList<>(List.of(
                "began_ms=" + System.currentTimeMillis(),
                "moments_ms=" + Young.MOMENTS.stream().map(Object::toString).collect(Collectors.joining(",")),
                "size=" + kind.messageBytes,
                "connections=" + kind.connections));
        arguments.addAll(kind.clientArguments);
        try (BenchProcess server = start(End.SERVER, kind.server, kind.serverArguments);
                BenchProcess client = start(End.CLIENT, kind.client, arguments)) {
            client.send("port " + server.await("ready", PATIENCE).get("port"));
            Watch watch = new Watch(List.of(server, client), List.of());
            Map<String, String> result = client.await("result", PATIENCE);
            double cpuSeconds = cpuSeconds(server) + cpuSeconds(client);
            JvmCounters counters = JvmCounters.of(server.pid()).plus(JvmCounters.of(client.pid()));
            double compilerSeconds =
                    (server.lifetime().compilerNanos() + client.lifetime().compilerNanos()) / 1e9;
            Conditions conditions = watch.seen();
            checkProvider(result.get("provider"));
            Young young = new Young(
                    Arrays.stream(result.get("done").split(",", -1))
                            .map(Double::valueOf)
                            .toList(),
                    cpuSeconds,
                    counters.classes(),
                    counters.methods(),
                    counters.bytecode(),
                    compilerSeconds);
            return new Sample(young.figures(), Latencies.NONE, Double.NaN, client.complaints(), "", conditions);
        }
    }

    private BenchProcess start(End end, String program, List<String> arguments)
            throws IOException, InterruptedException {
        Place place = jvm.place();
        return place.start(
                end,
                benchCase.label + " over " + variant.words() + ": the " + end.label,
                jvm.ofYoung(
                        place.cores().prefix(end),
                        benchCase.kind,
                        program,
                        variant.accelerated() ? benchCase.profileOf(variant) : null,
                        variant.isByAgent(),
                        arguments));
    }

    private static double cpuSeconds(BenchProcess process) throws IOException {
        return cpuSeconds(Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat")));
    }

    /** @param stat the line of a process, whose threads are all counted in it, also those that have ended */
    static double cpuSeconds(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[KERNEL_TICKS])) / TICKS_PER_SECOND;
    }

    /** Makes sure that the client ran with Accel if and only if it should. */
    private void checkProvider(String provider) throws IOException {
        if (provider.startsWith("io.accel.") != variant.accelerated()) {
            throw new IOException("the client ran with the selector provider " + provider + ", but was to run "
                    + (variant.accelerated() ? "with" : "without") + " Accel");
        }
    }
}
