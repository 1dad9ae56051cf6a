// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Splice;
import io.accel.samples.it.programs.Talks;
import io.accel.samples.it.programs.Transfer;
import io.accel.testing.Child;
import io.accel.testing.DirectoryContent;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two containers of one host, which are namespaces for network, mounts and process ids, and between them a network that leads nowhere
 * else. Whether they share {@code shm.dir} decides which path their connections take.
 */
@Timeout(180)
class ContainersIT {
    private static final String SERVER = "10.66.0.1";
    private static final String SERVICE = "10.66.0.9";
    private static final String CLIENT = "10.66.0.2";
    private static final long SOME = 16L << 20;

    @BeforeAll
    static void lookForContainers() {
        assumeTrue(Launch.isAccel(), "is about Accel's paths");
        assumeTrue(Launch.hasContainers(), "needs the right to make network namespaces and to connect them");
    }

    /** Either end may speak first, and the other has nothing to say. */
    @ParameterizedTest(name = "the client sends: {0}")
    @ValueSource(booleans = {true, false})
    void thoseThatShareADirectoryShareMemory(boolean clientSends) throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = server(directory.path(), clientSends ? "do=sink" : "do=source");
                Child client = client(server, SERVER, directory.path(), null, clientSends ? "do=source" : "do=sink")) {
            List<String> networks = networks(server, client);
            Child source = clientSends ? client : server;
            Child sink = clientSends ? server : client;
            go(server, client);
            await().atMost(Ends.START).untilAsserted(() -> {
                assertThat(ProcFs.ringsBelow(client.pid()))
                        .as("rings of the client")
                        .isEqualTo(1);
                assertThat(ProcFs.ringsBelow(server.pid()))
                        .as("rings of the server")
                        .isEqualTo(1);
            });
            awaitPath(client, "accel: connected ");
            awaitPath(server, "accel: accepted ");
            long before = sink.latestNumber("READ").orElse(0L);
            while (sink.awaitNumber("READ", Ends.START) < before + SOME) {
                assertThat(sink.isAlive()).isTrue();
            }
            finish(source, sink);
            assertVanish(networks);
        }
    }

    /** Like containers of different images that have mounted one volume. */
    @Test
    void thoseWithDifferentRootsShareMemoryWhereADirectoryIsMounted(@TempDir Path roots) throws IOException {
        Path mounted = Path.of("/run/accel");
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = started(launch(mounted, "at=listen", "host=0.0.0.0", "do=sink")
                        .inContainer()
                        .inRoot(Files.createDirectory(roots.resolve("server")), directory.path(), mounted))) {
            long port = server.latestNumber("PORT").orElseThrow();
            try (Child client = launch(mounted, "host=" + SERVER, "port=" + port, "do=source")
                    .inContainerBeside(server, SERVER, CLIENT, null)
                    .inRoot(Files.createDirectory(roots.resolve("client")), directory.path(), mounted)
                    .start("the client in its root")) {
                List<String> networks = networks(server, client);
                go(server, client);
                awaitPath(client, "accel: connected ");
                awaitPath(server, "accel: accepted ");
                finish(client, server);
                assertVanish(networks);
            }
        }
    }

    @Test
    void thoseThatDoNotStayWithTheKernel() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = server(directory.path(), "do=sink");
                Child client = client(server, SERVER, directory.path(), directory.path(), "do=source")) {
            List<String> networks = networks(server, client);
            long port = server.latestNumber("PORT").orElseThrow();
            go(server, client);
            while (server.awaitNumber("READ", Ends.START) < SOME) {
                assertThat(server.isAlive()).isTrue();
            }
            assertThat(ProcFs.ringsBelow(client.pid())).isZero();
            assertThat(ProcFs.ringsBelow(server.pid())).isZero();
            // It first asks again, and a program that ends does not wait for a daemon's message.
            String why = client.awaitLine("why it stays", line -> line.contains("PEER_NOT_ACCELERATED"), Ends.START);
            assertThat(why).contains("no rendezvous in " + directory.path() + " for " + SERVER + ":" + port);
            finish(client, server);
            assertThat(client.output()).doesNotContain(" by shm");
            assertVanish(networks);
        }
    }

    /**
     * The client's connection ends at a proxy, and the server's begins there. Both have the same addresses, so only their bytes tell
     * them apart.
     */
    @ParameterizedTest(name = "what the proxy makes of a byte: xor {0}")
    @ValueSource(ints = {0, 0x5A})
    void aTransparentProxyIsNoticedByWhatItChanges(int mask) throws IOException {
        transferThroughProxy(mask, false);
    }

    /** The client connects to another address than the server's end sees, as with the address of a service. */
    @Test
    void throughATranslatedAddressTheyShareMemory() throws IOException {
        transferThroughProxy(0, true);
    }

    private static void transferThroughProxy(int mask, boolean translated) throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = server(directory.path(), "do=sink", "mask=" + mask)) {
            long port = server.latestNumber("PORT").orElseThrow();
            String via = "via=" + directory.path().resolve("proxy");
            try (Child near = Launch.plain(
                            Splice.class, "at=client", via, "port=" + (translated ? 0 : port), "mask=" + mask)
                    .option("-XX:-UsePerfData")
                    .inContainer()
                    .start("the proxy's half at the client")) {
                long unused = near.awaitNumber("PORT", Ends.START);
                try (Child far = Launch.plain(
                                        Splice.class,
                                        "at=server",
                                        via,
                                        "from=" + CLIENT,
                                        "to=" + SERVER,
                                        "port=" + port)
                                .option("-XX:-UsePerfData")
                                .inContainerBeside(server, SERVER, CLIENT, null)
                                .start("the proxy's half at the server");
                        Child client =
                                client(near, translated ? SERVICE : SERVER, directory.path(), null, "do=source")) {
                    client.awaitLine("CONNECTED", Ends.START);
                    go(server, client);
                    String path = client.awaitLine("its path", line -> line.contains("accel: connected "), Ends.START);
                    assertThat(path).contains(mask == 0 ? " by shm" : " by kernel (PROXIED: ");
                    while (server.awaitNumber("READ", Ends.START) < SOME) {
                        assertThat(server.isAlive()).isTrue();
                    }
                    // While it gets larger rings it has none for a moment, or both.
                    await().atMost(Ends.START).untilAsserted(() -> assertThat(ProcFs.ringsBelow(client.pid()))
                            .as("rings of the client")
                            .isEqualTo(mask == 0 ? 1 : 0));
                    finish(client, server);
                    assertThat(near.output() + far.output()).doesNotContain("FAILED");
                }
            }
        }
    }

    /** The process that finds it is also in another namespace of process ids, where the dead process's id means nothing. */
    @Test
    void whatAKilledContainerLeavesIsRemovedByAnother() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create()) {
            try (Child killed = server(directory.path(), "do=sink")) {
                assertThat(ProcFs.filesBelow(directory.path()))
                        .as("a rendezvous")
                        .isEqualTo(2);
                killed.kill();
            }
            age(directory.path());
            try (Child next = server(directory.path(), "do=sink")) {
                await().atMost(Ends.START).untilAsserted(() -> assertThat(ProcFs.filesBelow(directory.path()))
                        .as("its own rendezvous alone")
                        .isEqualTo(2));
                assertThat(next.isAlive()).isTrue();
            }
        }
    }

    /** Each has the number 1 in its own. */
    @Test
    void theLiveViewTellsProcessesOfOneNumberApart() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child first = started(launch(directory.path(), "at=listen", "host=0.0.0.0", "do=sink")
                        .inContainer()
                        .named("accel-one"));
                Child second = started(launch(Talks.class, directory.path(), "do=answer")
                        .inContainer()
                        .named("accel-two"))) {
            await().atMost(Ends.START).untilAsserted(() -> {
                try (var there = Files.list(directory.path())) {
                    assertThat(there.filter(
                                    path -> path.getFileName().toString().startsWith("accel-stats-1-")))
                            .as("places where %s and %s can be looked at", first, second)
                            .hasSize(2);
                }
            });
            try (Child stats = Launch.plain(
                            "io.accel.nio.cli.AccelMain", "stats", "--once", "--dir=" + directory.path())
                    .classPath(List.of(Launch.dropInJar()))
                    .start("accel stats")) {
                assertThat(stats.awaitExit(Ends.START)).as(stats.output()).isZero();
                assertThat(stats.output().lines().filter(line -> line.startsWith("1 ")))
                        .as(stats.output())
                        .hasSize(2)
                        .anyMatch(line ->
                                line.matches("1 accel-one " + Transfer.class.getName() + " since [-0-9: ]+, up .*"))
                        .anyMatch(line ->
                                line.matches("1 accel-two " + Talks.class.getName() + " since [-0-9: ]+, up .*"));
            }
        }
    }

    /** Young files may be about to be opened. */
    private static void age(Path directory) throws IOException {
        for (Path each : DirectoryContent.of(directory)) {
            Files.setLastModifiedTime(each, FileTime.from(Instant.now().minusSeconds(600)));
        }
    }

    private static Child server(Path directory, String... task) {
        List<String> arguments = new ArrayList<>(List.of(task));
        arguments.addAll(List.of("at=listen", "host=0.0.0.0"));
        return started(launch(directory, arguments.toArray(String[]::new)).inContainer());
    }

    private static Child started(Launch launch) {
        Child server = launch.start("the server in its container");
        try {
            long unused = server.awaitNumber("PORT", Ends.START);
            return server;
        } catch (AssertionError e) {
            server.close();
            throw e;
        }
    }

    private static Child client(Child server, String address, Path directory, Path hidden, String task) {
        long port = server.latestNumber("PORT").orElseThrow();
        return launch(directory, "host=" + address, "port=" + port, task)
                .inContainerBeside(server, address, CLIENT, hidden)
                .start("the client in its container");
    }

    private static Launch launch(Path directory, String... arguments) {
        return launch(Transfer.class, directory, arguments);
    }

    private static Launch launch(Class<?> program, Path directory, String... arguments) {
        return Launch.accelerated(program, arguments)
                .option("-XX:-UsePerfData") // whose file is named by the process's id, which is 1 in each
                .accel("shm.dir", directory)
                .accel("log.connections", true);
    }

    private static void go(Child server, Child client) {
        server.awaitLine("CONNECTED", Ends.START);
        server.send("GO");
        client.send("GO");
    }

    private static void finish(Child source, Child sink) {
        source.send("END");
        sink.awaitLine("EOF ", Ends.START);
        assertThat(source.awaitExit(Ends.NOTICE)).isZero();
        assertThat(sink.awaitExit(Ends.NOTICE)).isZero();
        assertThat(sink.latestNumber("EOF")).isEqualTo(source.latestNumber("WROTE"));
    }

    private static void awaitPath(Child child, String said) {
        String unused =
                child.awaitLine("its path", line -> line.contains(said) && line.endsWith(" by shm"), Ends.START);
    }

    private static List<String> networks(Child server, Child client) {
        client.awaitLine("CONNECTED", Ends.START); // it has its own by then
        List<String> networks = List.of(ProcFs.networkOf(server.pid()), ProcFs.networkOf(client.pid()));
        assertThat(networks)
                .doesNotHaveDuplicates()
                .doesNotContain("", ProcFs.networkOf(ProcessHandle.current().pid()));
        return networks;
    }

    private static void assertVanish(List<String> networks) {
        await().atMost(Ends.NOTICE)
                .untilAsserted(() -> assertThat(networks).allSatisfy(each -> assertThat(ProcFs.processesIn(each))
                        .as("processes in %s", each)
                        .isZero()));
    }
}
