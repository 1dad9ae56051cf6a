package io.accel.samples.perf;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A {@link NativeProgram}, both ends started anew for each measurement, with as many messages as take about as long as was
 * asked for.
 */
final class NativeSession implements Session {
    private static final Duration RUN_PATIENCE = Duration.ofSeconds(60);
    private static final Duration START_PATIENCE = Duration.ofSeconds(20);
    private static final long RETRY_MILLIS = 200;
    private static final long FIRST_COUNT = 2_000;
    private static final long MOST = 1_000_000;

    private final NativeProgram program;
    private final Cores cores;
    private final String address;
    private double perSecond;

    private NativeSession(NativeProgram program, Cores cores, String address) {
        this.program = program;
        this.cores = cores;
        this.address = address;
    }

    /** Finds out how fast the program is. */
    static NativeSession open(NativeProgram program, Cores cores, String address)
            throws IOException, InterruptedException {
        NativeSession session = new NativeSession(program, cores, address);
        session.perSecond = session.run(FIRST_COUNT).messagesPerSecond();
        return session;
    }

    @Override
    public Sample measure(Duration time) throws IOException, InterruptedException {
        double count = perSecond * time.toNanos() / 1e9;
        return new Sample(run((long) Math.max(FIRST_COUNT, Math.min(MOST, count))), Double.NaN, "");
    }

    private Figures run(long count) throws IOException, InterruptedException {
        int port = freePort();
        Path said = Files.createTempFile("accel-perf-", ".txt");
        Process server = start(End.SERVER, program.arguments(port, count, null), null);
        try {
            long deadline = System.nanoTime() + START_PATIENCE.toNanos();
            while (true) {
                // The server does not say when it listens; until then the client is refused.
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                int status = await(start(End.CLIENT, program.arguments(port, count, address), said));
                String output = Files.readString(said);
                if (status == 0) {
                    return program.read(output);
                }
                if (System.nanoTime() - deadline > 0 || !server.isAlive()) {
                    throw new IOException(program.program() + " ended with status " + status + "; it said:\n" + output);
                }
            }
        } finally {
            end(server);
            Files.delete(said);
        }
    }

    private Process start(End end, List<String> arguments, Path output) throws IOException {
        List<String> command = new ArrayList<>(cores.prefix(end));
        command.add(program.program());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(
                output == null ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.to(output.toFile()));
        Process process = builder.start();
        Reaper.watch(process);
        return process;
    }

    private static void end(Process process) throws InterruptedException {
        process.destroyForcibly().waitFor();
        Reaper.release(process);
    }

    private int await(Process client) throws IOException, InterruptedException {
        try {
            if (!client.waitFor(RUN_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException(program.program() + " did not end within " + RUN_PATIENCE.toSeconds() + " s");
            }
            return client.exitValue();
        } finally {
            end(client);
        }
    }

    /** Free of TCP connections, so that nothing will have taken it over RDMA either. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        // Nothing runs between two measurements.
    }
}
