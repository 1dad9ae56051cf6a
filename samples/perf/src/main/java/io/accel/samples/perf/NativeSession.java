// SPDX-License-Identifier: Apache-2.0
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
 * A {@link NativeProgram}, both ends started anew for each measurement, with enough messages to take about as long as was
 * asked for.
 */
final class NativeSession implements Session {
    private static final Duration RUN_PATIENCE = Duration.ofSeconds(60);
    private static final Duration START_PATIENCE = Duration.ofSeconds(20);
    private static final long RETRY_MILLIS = 200;
    private static final long FIRST_COUNT = 2_000;
    private static final long MOST = 1_000_000;

    private final NativeProgram program;
    private final Place place;
    private double perSecond;

    private NativeSession(NativeProgram program, Place place) {
        this.program = program;
        this.place = place;
    }

    /** Finds out how fast the program is. */
    static NativeSession open(NativeProgram program, Place place) throws IOException, InterruptedException {
        NativeSession session = new NativeSession(program, place);
        session.perSecond = session.run(FIRST_COUNT).messagesPerSecond();
        if (!Double.isFinite(session.perSecond)) {
            throw new IOException(program.program() + " gave no figures: it does not know the processor's frequency");
        }
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
        Process server = startServer(program.arguments(port, count, null));
        try {
            long deadline = System.nanoTime() + START_PATIENCE.toNanos();
            while (true) {
                // The server does not say when it listens; until then the client is refused.
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                int status = await(start(End.CLIENT, program.arguments(port, count, place.address()), said));
                String output = Files.readString(said);
                if (status == 0) {
                    return program.read(output);
                }
                if (System.nanoTime() - deadline > 0 || !server.isAlive()) {
                    throw new IOException(program.program() + " ended with status " + status + "; it said:\n" + output);
                }
            }
        } finally {
            endServer(server);
            Files.delete(said);
        }
    }

    private Process startServer(List<String> arguments) throws IOException {
        return place.isFar(End.SERVER)
                ? place.far().start(command(End.SERVER, arguments))
                : start(End.SERVER, arguments, null);
    }

    private void endServer(Process server) throws InterruptedException {
        if (place.isFar(End.SERVER)) {
            FarHost.end(server);
        } else {
            end(server);
        }
    }

    private List<String> command(End end, List<String> arguments) {
        List<String> command = new ArrayList<>(place.cores().prefix(end));
        command.add(program.program());
        command.addAll(arguments);
        return command;
    }

    private Process start(End end, List<String> arguments, Path output) throws IOException {
        List<String> command = command(end, arguments);
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

    /** A port without TCP connections, so that nothing will have taken it over RDMA, either. */
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
