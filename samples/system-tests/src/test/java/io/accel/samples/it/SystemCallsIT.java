// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Echoes;
import io.accel.samples.it.programs.Queries;
import io.accel.samples.it.programs.ShortConnections;
import io.accel.testing.Child;
import io.accel.testing.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A thread that sleeps until its peer rings, and a connection that stays with the kernel, make as many system calls as without Accel,
 * counted by strace.
 */
@Timeout(300)
class SystemCallsIT {
    private static final Duration START = Duration.ofSeconds(30);
    /** Each traced call changes twice to the tracer and back, for which a busy machine may take a millisecond. */
    private static final Duration RUN = Duration.ofSeconds(100);

    private static final int WARM_UP = 300;
    private static final int TRIPS = 2_000;
    /** The calls on descriptors, and those that make and end connections. */
    private static final String ALL_CALLS = SystemCalls.ON_DESCRIPTORS
            + ",socket,bind,connect,accept,accept4,shutdown,close,getsockopt,setsockopt,getsockname,fcntl";

    @TempDir
    Path temporary;

    @ParameterizedTest
    @CsvSource({"selector, 0", "blocking, 1"})
    void aSleeperMakesAsManyAsTheKernels(String wait, int more) throws IOException {
        double kernels = sum(perTrip(wait, false));
        Map<String, Double> ours = perTrip(wait, true);
        assertThat(sum(ours))
                .as("a trip through the kernel takes %s, over a link %s", kernels, ours)
                .isLessThan(kernels + more + 0.1);
        assertThat(ours.getOrDefault("epoll_ctl", 0.0))
                .as("changes of what is waited for, a trip")
                .isLessThan(0.05);
    }

    /** Both ends stay with the kernel. */
    @ParameterizedTest
    @ValueSource(strings = {"channels", "sockets"})
    void aShortConnectionMakesAsManyAsTheKernels(String ends) throws IOException {
        double kernels = sum(perConnection(ends, false));
        Map<String, Double> ours = perConnection(ends, true);
        assertThat(sum(ours))
                .as("a connection takes %s, and %s without Accel", ours, kernels)
                .isLessThan(kernels + 0.3);
    }

    /**
     * Each socket asks once, and the server answers each once. A socket that looks before the answer has come finds nothing, waits in a poll
     * and looks again: how often that happens is the machine's, so the two calls are counted apart.
     */
    @ParameterizedTest
    @ValueSource(strings = {"channels", "sockets"})
    void aQueryByUdpMakesAsManyAsTheKernels(String ends) throws IOException {
        Map<String, Double> kernels = perLife(Queries.class, ends, false);
        Map<String, Double> ours = perLife(Queries.class, ends, true);
        for (Map<String, Double> calls : List.of(kernels, ours)) {
            double waits = calls.getOrDefault("poll", 0.0);
            assertThat(waits).as("waits, a query: %s", calls).isLessThan(1.1);
            assertThat(calls.get("recvfrom") - waits)
                    .as("datagrams received, a query: %s", calls)
                    .isBetween(1.9, 2.1);
            calls.keySet().removeAll(List.of("poll", "recvfrom"));
        }
        assertThat(sum(ours))
                .as("a query takes %s, and %s without Accel, beside its receives", ours, kernels)
                .isLessThan(sum(kernels) + 0.3);
    }

    private Map<String, Double> perConnection(String ends, boolean accelerated) throws IOException {
        return perLife(ShortConnections.class, ends, accelerated);
    }

    private Map<String, Double> perLife(Class<?> program, String ends, boolean accelerated) throws IOException {
        Path trace = temporary.resolve(ends + accelerated);
        try (SharedDirectory directory = SharedDirectory.create();
                Child child = lives(program, ends, accelerated, directory)
                        .traced(trace, ALL_CALLS)
                        .start("short lives")) {
            run(child, WARM_UP);
            if (accelerated) {
                SharedDirectory.awaitStats(
                        directory.path(), child); // what a process begins for itself is no connection's
            }
            run(child, TRIPS);
            awaitEnd(trace);
        }
        return perRun(trace);
    }

    private static Launch lives(Class<?> program, String ends, boolean accelerated, SharedDirectory directory) {
        String argument = "ends=" + ends;
        return accelerated
                ? Launch.accelerated(program, argument)
                        .byAgent()
                        .accel("handover.after", "8/64KiB")
                        .accel("shm.dir", directory.path())
                : Launch.plain(program, argument);
    }

    private static double sum(Map<String, Double> calls) {
        return calls.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** The calls of the client's process for a round trip, by name. */
    private Map<String, Double> perTrip(String wait, boolean accelerated) throws IOException {
        Path trace = temporary.resolve(wait + accelerated);
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = echoes(accelerated, directory, "wait=" + wait).start("echo server")) {
            int port = (int) server.awaitNumber("PORT", START);
            Launch launch = echoes(accelerated, directory, "wait=" + wait, "port=" + port);
            try (Child client = launch.traced(trace, SystemCalls.ON_DESCRIPTORS).start("echo client")) {
                run(client, WARM_UP);
                if (accelerated) {
                    PathEvidence.assertAccelerated(port, 1);
                }
                run(client, TRIPS);
                awaitEnd(trace);
            }
        }
        return perRun(trace);
    }

    /** The tracer writes beside the program. */
    private static void awaitEnd(Path trace) {
        await().atMost(START).until(() -> Files.readString(trace).contains("\"DONE " + TRIPS));
    }

    private static Map<String, Double> perRun(Path trace) throws IOException {
        Map<String, Double> calls = SystemCalls.between(trace, "RUNNING " + TRIPS, "DONE " + TRIPS);
        calls.replaceAll((name, count) -> count / TRIPS);
        return calls;
    }

    private static Launch echoes(boolean accelerated, SharedDirectory directory, String... arguments) {
        return accelerated
                ? Launch.accelerated(Echoes.class, arguments)
                        .accel("profile", "low-cpu")
                        .accel("shm.dir", directory.path())
                : Launch.plain(Echoes.class, arguments);
    }

    private static void run(Child client, int trips) {
        client.send("RUN " + trips);
        client.awaitLine("DONE " + trips, RUN);
    }
}
