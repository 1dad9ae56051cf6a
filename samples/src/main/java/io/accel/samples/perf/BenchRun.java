package io.accel.samples.perf;

import io.accel.samples.perf.BenchCase.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs one case over one path once: starts both ends, lets them warm up, measures, and ends them. */
final class BenchRun {
    /** For a JVM to start, and to open a thousand connections, on a slow and busy machine. */
    private static final Duration START_PATIENCE = Duration.ofSeconds(30);
    /** How much longer than asked for a run may take before it counts as hung. */
    private static final Duration RUN_PATIENCE = Duration.ofSeconds(20);
    /** After this long without a message an idle program should have gone to sleep. */
    private static final Duration SETTLE = Duration.ofMillis(1500);

    private final JvmCommand jvm;
    private final BenchCase benchCase;
    private final Variant variant;
    private final Duration warmUp;
    private final Duration measure;

    BenchRun(JvmCommand jvm, BenchCase benchCase, Variant variant, Duration warmUp, Duration measure) {
        this.jvm = jvm;
        this.benchCase = benchCase;
        this.variant = variant;
        this.warmUp = warmUp;
        this.measure = measure;
    }

    Sample execute() throws IOException, InterruptedException {
        return switch (benchCase.kind) {
            case RAW -> bounceCacheLine();
            case MEMCPY -> copyMemory();
            case IDLE -> idle();
            default -> exchange();
        };
    }

    private Sample exchange() throws IOException, InterruptedException {
        try (BenchProcess server = start("server", benchCase.kind.server, variant.serverAccelerated, List.of());
                BenchProcess client = startClient(server)) {
            return measure(server, client);
        }
    }

    private Sample bounceCacheLine() throws IOException, InterruptedException {
        Path shared = Path.of("/dev/shm");
        Path file = Files.isWritable(shared)
                ? Files.createTempFile(shared, "accel-bounce-", "")
                : Files.createTempFile("accel-bounce-", "");
        try {
            String program = benchCase.kind.client;
            List<String> ping = timed("role=ping", "file=" + file);
            try (BenchProcess server = start("pong", program, false, List.of("role=pong", "file=" + file))) {
                server.await("ready", START_PATIENCE);
                try (BenchProcess client = start("ping", program, false, ping)) {
                    return measure(server, client);
                }
            }
        } finally {
            Files.delete(file);
        }
    }

    private Sample copyMemory() throws IOException, InterruptedException {
        try (BenchProcess client = start("copy", benchCase.kind.client, false, timed())) {
            client.await("warm", warmUp.plus(START_PATIENCE));
            client.send("go");
            Map<String, String> result = client.await("result", measure.plus(RUN_PATIENCE));
            return new Sample(figures(result, number(result, "cpu_ns"), number(result, "alloc")), Double.NaN);
        }
    }

    private Sample idle() throws IOException, InterruptedException {
        try (BenchProcess server = start("server", benchCase.kind.server, variant.serverAccelerated, List.of());
                BenchProcess client = startClient(server)) {
            Map<String, String> opened = client.await("idle", START_PATIENCE);
            checkProvider(opened);
            double share = number(opened, "kernel_bytes") / number(opened, "moved");
            Thread.sleep(SETTLE.toMillis());
            ProcessCpu serverCpu = new ProcessCpu(server.pid());
            ProcessCpu clientCpu = new ProcessCpu(client.pid());
            long begin = System.nanoTime();
            Thread.sleep(measure.toMillis());
            double used = serverCpu.used() + clientCpu.used();
            double seconds = (System.nanoTime() - begin) / 1e9;
            double nan = Double.NaN;
            return new Sample(
                    new Figures(nan, nan, nan, 0, 0, nan, used / 1e3 / seconds),
                    number(opened, "kernel_bytes") < 0 ? nan : share);
        }
    }

    private Sample measure(BenchProcess server, BenchProcess client) throws IOException, InterruptedException {
        client.await("warm", warmUp.plus(START_PATIENCE));
        server.send("mark");
        Map<String, String> before = server.await("mark", RUN_PATIENCE);
        client.send("go");
        Map<String, String> result = client.await("result", measure.plus(RUN_PATIENCE));
        server.send("mark");
        Map<String, String> after = server.await("mark", RUN_PATIENCE);
        checkProvider(result);

        double cpu = number(result, "cpu_ns") + number(after, "cpu_ns") - number(before, "cpu_ns");
        double allocated = number(result, "alloc") + number(after, "alloc") - number(before, "alloc");
        double byKernel =
                number(result, "kernel_bytes") + number(after, "kernel_bytes") - number(before, "kernel_bytes");
        double moved = 2 * number(result, "moved"); // what one end writes the other reads
        boolean known = moved > 0 && number(result, "kernel_bytes") >= 0;
        return new Sample(figures(result, cpu, allocated), known ? byKernel / moved : Double.NaN);
    }

    private Figures figures(Map<String, String> result, double cpuNanos, double allocated) {
        double ops = number(result, "ops");
        double seconds = number(result, "elapsed_ns") / 1e9;
        Kind kind = benchCase.kind;
        return new Figures(
                number(result, "p50_ns") / 1e3,
                number(result, "p99_ns") / 1e3,
                number(result, "p999_ns") / 1e3,
                ops / seconds,
                ops * kind.messageBytes / seconds,
                allocated / ops,
                cpuNanos / 1e3 / ops);
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

    private BenchProcess startClient(BenchProcess server) throws IOException, InterruptedException {
        String port = server.await("ready", START_PATIENCE).get("port");
        List<String> arguments = timed(
                "port=" + port, "size=" + benchCase.kind.messageBytes, "connections=" + benchCase.kind.connections);
        return start("client", benchCase.kind.client, variant.clientAccelerated, arguments);
    }

    private List<String> timed(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("warmup_ms=" + warmUp.toMillis());
        all.add("measure_ms=" + measure.toMillis());
        return all;
    }

    private BenchProcess start(String role, String program, boolean accelerated, List<String> arguments)
            throws IOException {
        String profile = accelerated ? benchCase.profile : null;
        String name = benchCase.label + " over " + variant.path + ": the " + role;
        return new BenchProcess(name, jvm.of(program, profile, arguments));
    }
}
