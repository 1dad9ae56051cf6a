// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The programs of one case over one path, running and warm: it can be measured any number of times until it is closed.
 * Both ends are gone when {@link #close} returns. Used by one thread.
 */
final class BenchSession implements Session {
    /** The time for a JVM to start, and to open a thousand connections, on a slow and busy machine. */
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);
    /** How much longer than asked for a run may take before it counts as hung. */
    private static final Duration RUN_PATIENCE = Duration.ofSeconds(30);
    /** How long a client runs by itself before the first window. */
    private static final Duration FIRST_STEPS = Duration.ofMillis(300);
    /** The comparison of two of these windows shows warmth. */
    private static final Duration WINDOW = Duration.ofMillis(250);
    /** After this long without a message an idle program should have gone to sleep. */
    private static final Duration SETTLE = Duration.ofMillis(1500);

    private final JvmCommand jvm;
    private final BenchCase benchCase;
    private final Variant variant;
    private final int openLoop;
    private final Crowd crowd;
    /** Null if there is no busy loop beside it. */
    private BenchProcess hog;
    /** Null if the case has one end only. */
    private BenchProcess server;

    private BenchProcess client;
    /** The report of an idle client about its connections; null in other cases. */
    private Map<String, String> opened;

    /** The memory that a connection takes, where that is measured. */
    private Extra perConnection = Extra.NONE;

    /** The part of the client's connections that was on a link when it was warm, where that is asked. */
    private double linked = Double.NaN;

    private Conditions warmth = Conditions.UNKNOWN;

    /** Null until a program needs one. */
    private WorkingDirectory directory;

    private BenchSession(JvmCommand jvm, BenchCase benchCase, Variant variant, int openLoop, Crowd crowd) {
        this.openLoop = openLoop;
        this.jvm = jvm;
        this.crowd = crowd;
        this.benchCase = benchCase;
        this.variant = variant;
    }

    /**
     * Starts both ends and waits until they are warm.
     *
     * @param warmUp how long that may take: if they are not warm by then, samples say so
     */
    static BenchSession open(JvmCommand jvm, BenchCase benchCase, Variant variant, Duration warmUp)
            throws IOException, InterruptedException {
        return open(jvm, benchCase, variant, warmUp, 0);
    }

    /**
     * Like {@link #open(JvmCommand, BenchCase, Variant, Duration)}.
     *
     * @param openLoop how many operations begin a second; 0 if each begins when the one before it ends
     */
    static BenchSession open(JvmCommand jvm, BenchCase benchCase, Variant variant, Duration warmUp, int openLoop)
            throws IOException, InterruptedException {
        // Accel's transport of Netty is in the jar of the Netty programs.
        jvm.requireBuilt(benchCase.kind, variant.accelerated() && !benchCase.kind.isNetty());
        BenchSession session = new BenchSession(
                jvm,
                benchCase,
                variant,
                openLoop,
                Crowd.of(benchCase.crowding, jvm.place().cores()));
        try {
            session.start(warmUp);
            return session;
        } catch (IOException | InterruptedException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private void start(Duration warmUp) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>();
        arguments.add("warmup_ms=" + FIRST_STEPS.toMillis());
        switch (benchCase.kind) {
            case RAW -> startBounce(arguments);
            case MEMCPY, NETTY_TIMERS -> startClient(arguments);
            default -> {
                if (benchCase.kind.isUnix()) {
                    String path = "path=" + workingDirectory().resolve("socket");
                    arguments.add(path);
                    startServer(List.of(path));
                } else {
                    startServer(benchCase.kind.serverArguments);
                }
                String port = server.await("ready", START_PATIENCE).get("port");
                arguments.add("port=" + port);
                arguments.add("size=" + benchCase.kind.messageBytes);
                arguments.add("connections=" + benchCase.kind.connections);
                arguments.addAll(benchCase.kind.clientArguments);
                if (openLoop > 0) {
                    arguments.add("open_loop=" + openLoop);
                }
                startClient(arguments);
            }
        }
        if (benchCase.kind == Kind.PINGPONG_AMONG_10000) {
            weighConnections();
        }
        if (benchCase.kind == Kind.IDLE) {
            opened = client.await("idle", START_PATIENCE);
            checkProvider(opened);
            Thread.sleep(SETTLE.toMillis());
        } else {
            client.await("warm", START_PATIENCE);
            warmUp(warmUp);
        }
        if (crowd.hogged()) {
            // Not before: warming up beside it would take twice as long.
            hog = new BenchProcess(
                    name("the hog"), jvm.of(crowd.prefix(End.SERVER), List.of(), "Hog", null, List.of()));
            hog.await("ready", START_PATIENCE);
        }
    }

    /** The memory that a connection takes, from the growth of both ends between few connections and all. */
    private void weighConnections() throws IOException, InterruptedException {
        Footprint few = footprint(client.await("few", START_PATIENCE));
        client.send("go 0");
        Footprint many = footprint(client.await("many", START_PATIENCE));
        client.send("go 0");
        perConnection = many.eachSince(few, benchCase.kind.connections - Kind.FEW);
    }

    private Footprint footprint(Map<String, String> ofClient) throws IOException, InterruptedException {
        server.send("heap");
        double heaps = number(ofClient, "heap") + number(server.await("heap", RUN_PATIENCE), "heap");
        return Footprint.of((long) heaps, server.pid(), client.pid());
    }

    private void warmUp(Duration longest) throws IOException, InterruptedException {
        WarmUp judge = new WarmUp();
        long begin = System.nanoTime();
        double seconds = 0;
        while (!judge.isWarm() && seconds < longest.toMillis() / 1e3) {
            Sample window = measureExchange(WINDOW, null);
            judge.window(
                    window.figures().messagesPerSecond(), window.conditions().compiler());
            seconds = (System.nanoTime() - begin) / 1e9;
        }
        warmth = Conditions.UNKNOWN.after(seconds, judge.isWarm());
    }

    private Watch watch() throws IOException, InterruptedException {
        List<BenchProcess> ends = new ArrayList<>(List.of(client));
        if (server != null) {
            ends.add(server);
        }
        return new Watch(ends, hog == null ? List.of() : List.of(hog));
    }

    private void startBounce(List<String> arguments) throws IOException, InterruptedException {
        Path shared = Path.of("/dev/shm");
        Path file = Files.isWritable(shared)
                ? Files.createTempFile(shared, "accel-bounce-", "")
                : Files.createTempFile("accel-bounce-", "");
        try {
            startServer(List.of("role=pong", "file=" + file));
            server.await("ready", START_PATIENCE);
            arguments.addAll(List.of("role=ping", "file=" + file));
            startClient(arguments);
            client.await("mapped", START_PATIENCE);
        } finally {
            Files.delete(file); // both have it mapped, so no file stays behind whatever happens later
        }
    }

    private void startServer(List<String> arguments) throws IOException, InterruptedException {
        server = start(End.SERVER, benchCase.kind.server, variant.serverAccelerated, arguments);
    }

    private void startClient(List<String> arguments) throws IOException, InterruptedException {
        client = start(End.CLIENT, benchCase.kind.client, variant.clientAccelerated, arguments);
    }

    private BenchProcess start(End end, String program, boolean accelerated, List<String> arguments)
            throws IOException, InterruptedException {
        String name = name("the " + end.label);
        return jvm.place()
                .start(end, name, command(end, program, accelerated ? benchCase.profileOf(variant) : null, arguments));
    }

    private List<String> command(End end, String program, String profile, List<String> arguments) throws IOException {
        List<String> prefix = crowd.prefix(end);
        List<String> all = new ArrayList<>(arguments);
        return switch (benchCase.kind.programs) {
            case PLAIN -> {
                List<String> options = new ArrayList<>(benchCase.kind.jvmOptions());
                if (profile != null && (variant.isByAgent() || benchCase.kind.isByAgent())) {
                    options.add("-javaagent:" + jvm.accelJar());
                }
                if (variant == Variant.DEFAULTS) {
                    yield jvm.byDefault(prefix, options, program, profile, arguments);
                }
                yield jvm.of(prefix, options, program, profile, arguments);
            }
            case NETTY -> {
                all.add("transport=" + variant.transport);
                yield jvm.ofNetty(prefix, program, profile, all);
            }
            case APPS -> {
                all.add("dir=" + workingDirectory());
                if (variant.transport != null) {
                    all.add("transport=" + variant.transport);
                }
                yield jvm.ofApp(prefix, benchCase.kind, program, profile, all);
            }
        };
    }

    /** The directory in which a server keeps its data, for as long as this session. */
    private Path workingDirectory() throws IOException {
        if (directory == null) {
            directory = benchCase.kind == Kind.PEERS
                    ? WorkingDirectory.createInMemory("accel-app-")
                    : WorkingDirectory.create("accel-app-");
        }
        return directory.path();
    }

    private String name(String which) {
        return benchCase.label + " over " + variant.words() + ": " + which;
    }

    @Override
    public Sample measure(Duration time) throws IOException, InterruptedException {
        if (benchCase.kind == Kind.IDLE) {
            return measureIdleness(time);
        }
        if (benchCase.kind.programs != Programs.APPS || !variant.accelerated()) {
            return measureExchange(time, null);
        }
        LinkShare before = LinkShare.of(jvm.accelJar(), client.pid());
        linked = before.connections();
        return measureExchange(time, before);
    }

    /**
     * Samples the stacks of both ends while they are measured for about {@code time}, which costs them some of their speed.
     *
     * @return a line for each stack, as {@link CpuSampler#stop} gives them
     */
    List<String> stacks(CpuSampler sampler, Duration time) throws IOException, InterruptedException {
        List<Long> ends = List.of(server.pid(), client.pid());
        for (long end : ends) {
            sampler.start(end);
        }
        measureExchange(time, null);
        List<String> stacks = new ArrayList<>();
        for (long end : ends) {
            stacks.addAll(sampler.stop(end));
        }
        return stacks;
    }

    private Sample measureIdleness(Duration time) throws IOException, InterruptedException {
        Watch watch = watch();
        ProcessTimes serverTimes = server.times();
        ProcessTimes clientTimes = client.times();
        long begin = System.nanoTime();
        Thread.sleep(time.toMillis());
        double used = serverTimes.used().cpuNanos() + clientTimes.used().cpuNanos();
        double seconds = (System.nanoTime() - begin) / 1e9;
        double nan = Double.NaN;
        Figures figures = new Figures(nan, nan, nan, 0, 0, nan, used / 1e3 / seconds);
        return sample(figures, Latencies.NONE, number(opened, "kernel_bytes"), number(opened, "moved"), watch.seen());
    }

    /** @param linksBefore the bytes on links before; null where that is not asked */
    private Sample measureExchange(Duration time, LinkShare linksBefore) throws IOException, InterruptedException {
        Map<String, String> before = markServer();
        Watch watch = watch();
        client.send("go " + time.toMillis());
        Map<String, String> result = client.await("result", time.plus(RUN_PATIENCE));
        Conditions conditions = watch.seen();
        Map<String, String> after = markServer();
        checkProvider(result);
        double linkedBytes = linksBefore == null
                ? Double.NaN
                : LinkShare.of(jvm.accelJar(), client.pid()).bytesSince(linksBefore, number(result, "kernel_bytes"));

        double ops = number(result, "ops");
        double seconds = number(result, "elapsed_ns") / 1e9;
        Figures figures = new Figures(
                number(result, "p50_ns") / 1e3,
                number(result, "p99_ns") / 1e3,
                number(result, "p999_ns") / 1e3,
                ops / seconds,
                ops * benchCase.kind.messageBytes / seconds,
                bothEnds("alloc", result, before, after) / ops,
                bothEnds("cpu_ns", result, before, after) / 1e3 / ops,
                number(result, "lost") / (ops + number(result, "lost")),
                new Extra(
                                perConnection.connectionBytes(),
                                perConnection.connectionDescriptors(),
                                number(result, "balance"),
                                linked,
                                linkedBytes)
                        .withLongest(number(result, "longest_ns") / 1e3));
        // One end reads what the other writes.
        String histogram = result.get("histogram");
        Latencies latencies = histogram == null
                ? Latencies.NONE
                : Latencies.decode(histogram, Integer.parseInt(result.get("trips_per_sample")));
        return sample(
                figures,
                latencies,
                bothEnds("kernel_bytes", result, before, after),
                2 * number(result, "moved"),
                conditions);
    }

    private Map<String, String> markServer() throws IOException, InterruptedException {
        if (server == null) {
            return Map.of("cpu_ns", "0", "alloc", "0", "kernel_bytes", "0");
        }
        server.send("mark");
        return server.await("mark", RUN_PATIENCE);
    }

    private static double bothEnds(
            String key, Map<String, String> client, Map<String, String> before, Map<String, String> after) {
        return number(client, key) + number(after, key) - number(before, key);
    }

    private Sample sample(
            Figures figures, Latencies latencies, double kernelBytes, double moved, Conditions conditions) {
        boolean known = moved > 0 && kernelBytes >= 0;
        return new Sample(
                figures,
                latencies,
                known ? kernelBytes / moved : Double.NaN,
                client.complaints(),
                crowd.describe(),
                conditions.after(warmth.warmUpSeconds(), warmth.warm()));
    }

    private static double number(Map<String, String> fields, String key) {
        String value = fields.get(key);
        return value == null ? Double.NaN : Double.parseDouble(value);
    }

    /** Makes sure that the client runs with Accel if and only if it should. */
    private void checkProvider(Map<String, String> result) throws IOException {
        String provider = result.getOrDefault("provider", "");
        if (!benchCase.kind.isNetty()
                && !provider.isEmpty()
                && provider.startsWith("io.accel.") != variant.clientAccelerated) {
            throw new IOException("the client ran with the selector provider " + provider + ", but was to run "
                    + (variant.clientAccelerated ? "with" : "without") + " Accel");
        }
    }

    @Override
    public void close() {
        for (BenchProcess process : Arrays.asList(hog, client, server)) {
            if (process != null) {
                process.close();
            }
        }
        try {
            crowd.close();
            if (directory != null) {
                directory.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove what " + name("both ends") + " ran in", e);
        }
    }
}
