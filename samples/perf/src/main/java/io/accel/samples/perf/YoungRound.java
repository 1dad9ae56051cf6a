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

/**
 * One round of a case that measures programs from the start of their JVMs on: both ends start at the same time, and are gone when it is over. Used
 * by one thread.
 */
final class YoungRound {
    /** The time for a JVM to start, and for a server to listen, on a slow and busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The places of the ticks in user mode and in the kernel in {@code stat}, counted behind the name. */
    private static final int USER_TICKS = 11;

    private static final int KERNEL_TICKS = 12;
    private static final double TICKS_PER_SECOND = 100;

    private final JvmCommand jvm;
    private final BenchCase benchCase;
    private final Variant variant;
    private final int millis;
    private final Crowd crowd;
    /** Null if the programs need none. */
    private final WorkingDirectory directory;

    private YoungRound(
            JvmCommand jvm, BenchCase benchCase, Variant variant, int millis, Crowd crowd, WorkingDirectory directory) {
        this.jvm = jvm;
        this.benchCase = benchCase;
        this.variant = variant;
        this.millis = millis;
        this.crowd = crowd;
        this.directory = directory;
    }

    /** @param millis how long it takes from the start on; the last of the case's milestones at least */
    static Sample measure(JvmCommand jvm, BenchCase benchCase, Variant variant, int millis)
            throws IOException, InterruptedException {
        jvm.requireBuilt(benchCase.kind, variant.accelerated());
        boolean app = benchCase.kind.programs == Programs.APPS;
        try (WorkingDirectory directory = app ? WorkingDirectory.create("accel-app-") : null;
                Crowd crowd = Crowd.of(benchCase.crowding, jvm.place().cores())) {
            return new YoungRound(jvm, benchCase, variant, millis, crowd, directory).measure();
        }
    }

    private Sample measure() throws IOException, InterruptedException {
        Kind kind = benchCase.kind;
        long began = System.currentTimeMillis();
        List<String> arguments = new ArrayList<>(List.of(
                "began_ms=" + began,
                "moments_ms=" + Progress.slices(millis),
                "size=" + kind.messageBytes,
                "connections=" + kind.connections));
        arguments.addAll(kind.clientArguments);
        try (BenchProcess server = start(End.SERVER, kind.server, kind.serverArguments);
                BenchProcess client = start(End.CLIENT, kind.client, arguments)) {
            client.send("port " + server.await("ready", PATIENCE).get("port"));
            Watch watch = new Watch(List.of(server, client), List.of());
            Thread.sleep(Math.max(0, began + kind.milestones().last() - System.currentTimeMillis()));
            Young spent = server.isAlive() && client.isAlive() ? spentBy(server, client) : Young.NONE;
            Map<String, String> result = client.await("result", PATIENCE.plusMillis(millis));
            Conditions conditions = watch.seen();
            checkProvider(result.get("provider"));
            Young young =
                    spent.with(new Progress(Arrays.stream(result.get("done").split(",", -1))
                            .map(Double::valueOf)
                            .toList()));
            return new Sample(
                    young.figures(), Latencies.NONE, Double.NaN, client.complaints(), crowd.describe(), conditions);
        }
    }

    /** What both have used so far. */
    private Young spentBy(BenchProcess server, BenchProcess client) throws IOException {
        JvmCounters counters = JvmCounters.of(server.pid()).plus(JvmCounters.of(client.pid()));
        return new Young(
                benchCase.kind.milestones(),
                Progress.NONE,
                cpuSeconds(server) + cpuSeconds(client),
                counters.classes(),
                counters.methods(),
                counters.bytecode(),
                (server.lifetime().compilerNanos() + client.lifetime().compilerNanos()) / 1e9);
    }

    private BenchProcess start(End end, String program, List<String> arguments)
            throws IOException, InterruptedException {
        String profile = variant.accelerated() ? benchCase.profileOf(variant) : null;
        List<String> all = new ArrayList<>(arguments);
        List<String> command;
        if (directory == null) {
            command = jvm.ofYoung(crowd.prefix(end), benchCase.kind, program, profile, variant.isByAgent(), all);
        } else {
            all.add("dir=" + directory.path());
            command = jvm.ofApp(crowd.prefix(end), benchCase.kind, program, profile, all);
        }
        return jvm.place().start(end, benchCase.label + " over " + variant.words() + ": the " + end.label, command);
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
