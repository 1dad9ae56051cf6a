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
    /** For a JVM to start, and to open a thousand connections, on a slow and busy machine, which may be emulated. */
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);
    /** How much longer than asked for a run may take before it counts as hung. */
    private static final Duration RUN_PATIENCE = Duration.ofSeconds(60);
    /** After this long without a message an idle program should have gone to sleep. */
    private static final Duration SETTLE = Duration.ofMillis(1500);

    private final JvmCommand jvm;
    private final BenchCase benchCase;
    private final Variant variant;
    private final Crowd crowd;
    /** Null if there is no busy loop besides. */
    private BenchProcess hog;
    /** Null if the case has one end only. */
    private BenchProcess server;

    private BenchProcess client;
    /** What an idle client said of its connections; null in other cases. */
    private Map<String, String> opened;

    private BenchSession(JvmCommand jvm, BenchCase benchCase, Variant variant, Crowd crowd) {
        this.jvm = jvm;
        this.crowd = crowd;
        this.benchCase = benchCase;
        this.variant = variant;
    }

    /** Starts both ends and waits until they are warm. */
    static BenchSession open(JvmCommand jvm, BenchCase benchCase, Variant variant, Duration warmUp)
            throws IOException, InterruptedException {
        if (benchCase.kind.isNetty()) {
            if (!Files.isRegularFile(jvm.nettyJar())) {
                throw new IOException("there is no " + jvm.nettyJar() + "; './accel perf' builds it");
            }
        } else if (variant.accelerated() && !jvm.canAccelerate()) {
            throw new IOException("cannot accelerate, since there is no " + jvm.accelJar());
        }
        BenchSession session = new BenchSession(jvm, benchCase, variant, Crowd.of(benchCase.crowding, jvm.cores()));
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
        arguments.add("warmup_ms=" + warmUp.toMillis());
        switch (benchCase.kind) {
            case RAW -> startBounce(arguments);
            case MEMCPY -> startClient(arguments);
            default -> {
                startServer(benchCase.kind.serverArguments());
                String port = server.await("ready", START_PATIENCE).get("port");
                arguments.add("port=" + port);
                arguments.add("size=" + benchCase.kind.messageBytes);
                arguments.add("connections=" + benchCase.kind.connections);
                arguments.addAll(benchCase.kind.clientArguments());
                startClient(arguments);
            }
        }
        if (benchCase.kind == Kind.IDLE) {
            opened = client.await("idle", START_PATIENCE);
            checkProvider(opened);
            Thread.sleep(SETTLE.toMillis());
        } else {
            client.await("warm", warmUp.plus(START_PATIENCE));
        }
        if (crowd.hogged()) {
            // Not before: to warm up beside it would take twice as long.
            hog = new BenchProcess(name("the hog"), jvm.of(crowd.prefix(End.SERVER), "Hog", null, List.of()));
            hog.await("ready", START_PATIENCE);
        }
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
            Files.delete(file); // both have it mapped, so nothing stays behind whatever happens later
        }
    }

    private void startServer(List<String> arguments) throws IOException {
        server = start(End.SERVER, benchCase.kind.server, variant.serverAccelerated, arguments);
    }

    private void startClient(List<String> arguments) throws IOException {
        client = start(End.CLIENT, benchCase.kind.client, variant.clientAccelerated, arguments);
    }

    private BenchProcess start(End end, String program, boolean accelerated, List<String> arguments)
            throws IOException {
        String name = name("the " + end.label);
        String profile = accelerated ? benchCase.profileOf(variant) : null;
        if (benchCase.kind.isNetty()) {
            List<String> all = new ArrayList<>(arguments);
            all.add("transport=" + variant.transport);
            return new BenchProcess(name, jvm.ofNetty(crowd.prefix(end), program, profile, all));
        }
        return new BenchProcess(name, jvm.of(crowd.prefix(end), program, profile, arguments));
    }

    private String name(String which) {
        return benchCase.label + " over " + variant.words() + ": " + which;
    }

    @Override
    public Sample measure(Duration time) throws IOException, InterruptedException {
        return benchCase.kind == Kind.IDLE ? measureIdleness(time) : measureExchange(time);
    }

    private Sample measureIdleness(Duration time) throws IOException, InterruptedException {
        ProcessCpu serverCpu = new ProcessCpu(server.pid());
        ProcessCpu clientCpu = new ProcessCpu(client.pid());
        long begin = System.nanoTime();
        Thread.sleep(time.toMillis());
        double used = serverCpu.used() + clientCpu.used();
        double seconds = (System.nanoTime() - begin) / 1e9;
        double nan = Double.NaN;
        Figures figures = new Figures(nan, nan, nan, 0, 0, nan, used / 1e3 / seconds);
        return sample(figures, Latencies.NONE, number(opened, "kernel_bytes"), number(opened, "moved"));
    }

    private Sample measureExchange(Duration time) throws IOException, InterruptedException {
        Map<String, String> before = markServer();
        client.send("go " + time.toMillis());
        Map<String, String> result = client.await("result", time.plus(RUN_PATIENCE));
        Map<String, String> after = markServer();
        checkProvider(result);

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
                number(result, "lost") / (ops + number(result, "lost")));
        // What one end writes the other reads.
        String histogram = result.get("histogram");
        Latencies latencies = histogram == null
                ? Latencies.NONE
                : Latencies.decode(histogram, Integer.parseInt(result.get("trips_per_sample")));
        return sample(figures, latencies, bothEnds("kernel_bytes", result, before, after), 2 * number(result, "moved"));
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

    private Sample sample(Figures figures, Latencies latencies, double kernelBytes, double moved) {
        boolean known = moved > 0 && kernelBytes >= 0;
        return new Sample(figures, latencies, known ? kernelBytes / moved : Double.NaN, client.complaints());
    }

    private static double number(Map<String, String> fields, String key) {
        String value = fields.get(key);
        return value == null ? Double.NaN : Double.parseDouble(value);
    }

    /** Makes sure that the client runs with Accel if and only if it was meant to. */
    private void checkProvider(Map<String, String> result) throws IOException {
        String provider = result.getOrDefault("provider", "");
        if (!provider.isEmpty() && provider.startsWith("io.accel.") != variant.clientAccelerated) {
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
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove what " + name("both ends") + " ran in", e);
        }
    }
}
