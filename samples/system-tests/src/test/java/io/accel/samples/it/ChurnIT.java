// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.NewFiles;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Churn;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that are over, 20,000 of them or those of a dead client, leave no descriptor, mapping or file behind. */
@Timeout(180)
class ChurnIT {
    private static final int CONNECTIONS = Integer.getInteger("churn.connections", 20_000);
    // Enough for the class loading and the caches that come with the first ones.
    private static final int WARM_UP = 1_000;
    private static final int HELD = 300;
    private static final int BUSY = 10;
    /** The descriptors that a poller keeps from the first time that it sleeps, and is woken. */
    private static final Map<String, Long> POLLER =
            Map.of("anon_inode:[eventpoll]", 1L, "anon_inode:[eventfd]", 1L, "pipe", 2L);
    /**
     * The server's threads that may sleep for the first time at any moment: the one that selects, and Accel's own two, which look for links
     * and keep connections going.
     */
    private static final int POLLERS = 3;

    private static final Duration START = Duration.ofSeconds(20);
    private static final Duration RUN = Duration.ofMinutes(2);
    private static final Duration SETTLE = Duration.ofSeconds(20);
    // The JVM's own mappings come and go with its arenas and code; a leak of one mapping for each connection would be
    // far more.
    private static final int JVM_MAPPINGS = 100;

    /** The resources that two processes hold, and their directory. */
    private record Held(
            Map<String, Long> serverFiles,
            Map<String, Long> clientFiles,
            int serverMaps,
            int clientMaps,
            long shared,
            long entries) {}

    @Test
    void nothingIsLeftBehind() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = launch(directory.path()).start("churn server")) {
            int port = (int) server.awaitNumber("PORT", START);
            try (Child client = launch(directory.path(), "port=" + port).start("churn client")) {
                run(client, WARM_UP);
                Held before = settled(server, client, directory.path());
                run(client, CONNECTIONS);
                await().atMost(SETTLE)
                        .untilAsserted(() -> assertNotMore(held(server, client, directory.path()), before));
                assertThat(server.output()).doesNotContain("FAILED");
            }
        }
    }

    /** As without any settings: a connection that is opened, used once and closed stays where it is. */
    @Test
    void shortConnectionsStayWithTheKernel() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = defaults(directory.path()).start("churn server")) {
            int port = (int) server.awaitNumber("PORT", START);
            try (Child client = defaults(directory.path(), "port=" + port).start("churn client")) {
                run(client, WARM_UP);
                if (Launch.isAccel()) {
                    SharedDirectory.awaitStats(
                            directory.path(), server, client); // the files that a process has for itself are there
                }
                long before = shared(server, client, directory.path());
                try (NewFiles made = NewFiles.below(directory.path())) {
                    run(client, CONNECTIONS);
                    assertThat(shared(server, client, directory.path()))
                            .as("files and mappings of shared memory")
                            .isEqualTo(before);
                    assertThat(made.seen()).as("files made for a connection").isEmpty();
                    assertThat(server.output())
                            .doesNotContain(" by shm")
                            .contains(Launch.isAccel() ? " by kernel" : "");
                    if (Launch.isAccel()) {
                        // The same watch sees each connection that is accelerated.
                        client.send("HOLD " + BUSY);
                        client.awaitLine("HELD " + BUSY, RUN);
                        await().atMost(SETTLE)
                                .untilAsserted(() -> assertThat(made.seen()).hasSizeGreaterThanOrEqualTo(BUSY));
                    }
                }
            }
        }
    }

    /** The files below the directory, and both processes' mappings of them. */
    private static long shared(Child server, Child client, Path directory) {
        return ProcFs.filesBelow(directory)
                + ProcFs.mappingsOf(server.pid(), directory)
                + ProcFs.mappingsOf(client.pid(), directory);
    }

    private static Launch defaults(Path directory, String... arguments) {
        return launch(directory, arguments).accel("handover.after", "8/64KiB").accel("log.connections", "true");
    }

    @Test
    void connectionsOfAKilledClientAreGivenBack() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = launch(directory.path()).start("churn server")) {
            int port = (int) server.awaitNumber("PORT", START);
            String connect = "port=" + port;
            try (Child first = launch(directory.path(), connect).start("first client")) {
                run(first, WARM_UP);
                Held before = settled(server, first, directory.path());
                try (Child victim = launch(directory.path(), connect).start("victim")) {
                    victim.send("HOLD " + HELD);
                    victim.awaitLine("HELD " + HELD, RUN);
                    PathEvidence.assertAccelerated(port, HELD);
                    victim.kill();
                }
                await().atMost(SETTLE)
                        .untilAsserted(() -> assertNotMore(held(server, first, directory.path()), before));
                run(first, WARM_UP);
            }
        }
    }

    private static Launch launch(Path directory, String... arguments) {
        return Launch.accelerated(Churn.class, arguments).accel("shm.dir", directory);
    }

    private static void run(Child client, int connections) {
        client.send("RUN " + connections);
        client.awaitLine("DONE " + connections, RUN);
    }

    // The last connections may still be closing: a count that is the same twice in a row is final.
    private static Held settled(Child server, Child client, Path directory) {
        if (Launch.isAccel()) {
            SharedDirectory.awaitStats(directory, server, client); // which begins later where processors are crowded
        }
        Held[] last = new Held[1];
        await().atMost(SETTLE).pollInterval(Duration.ofMillis(500)).until(() -> {
            Held now = held(server, client, directory);
            boolean same = now.equals(last[0]);
            last[0] = now;
            return same;
        });
        return last[0];
    }

    private static Held held(Child server, Child client, Path directory) {
        return new Held(
                ProcFs.openFiles(server.pid()),
                ProcFs.openFiles(client.pid()),
                ProcFs.mappings(server.pid()),
                ProcFs.mappings(client.pid()),
                ProcFs.mappingsOf(server.pid(), directory) + ProcFs.mappingsOf(client.pid(), directory),
                ProcFs.filesBelow(directory));
    }

    // The scheduler decides whether a thread has had to wait before, and keeps what it has slept in for the next wait.
    // It
    // also decides whether a thread has looked for so long that it asked how many others want to run, for which a
    // process
    // keeps one file.
    private static Map<String, Long> leaked(Map<String, Long> now, Map<String, Long> before) {
        Map<String, Long> more = new TreeMap<>(now);
        more.replaceAll((kind, count) -> count - before.getOrDefault(kind, 0L));
        boolean unused = more.remove("/proc/loadavg", 1L);
        more.entrySet().removeIf(kind -> kind.getValue() <= POLLERS * POLLER.getOrDefault(kind.getKey(), 0L));
        return more;
    }

    private static void assertNotMore(Held now, Held before) {
        assertThat(leaked(now.serverFiles(), before.serverFiles()))
                .as("server's descriptors")
                .isEmpty();
        assertThat(leaked(now.clientFiles(), before.clientFiles()))
                .as("client's descriptors")
                .isEmpty();
        assertThat(now.shared()).as("mappings of shared memory").isLessThanOrEqualTo(before.shared());
        assertThat(now.entries()).as("files in the directory").isLessThanOrEqualTo(before.entries());
        assertThat(now.serverMaps()).as("server's mappings").isLessThan(before.serverMaps() + JVM_MAPPINGS);
        assertThat(now.clientMaps()).as("client's mappings").isLessThan(before.clientMaps() + JVM_MAPPINGS);
    }
}
