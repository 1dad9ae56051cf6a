// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.FailingCalls;
import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.LastDescriptors;
import io.accel.samples.it.programs.LastDescriptors.Opening;
import io.accel.samples.it.programs.Talks;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A program that needs nearly all descriptors, or nearly all memory mappings, that it may have: everything that works without Accel works with
 * it, and connections have links as far as there is room for them.
 */
@Timeout(150)
class ScarcityIT {
    private static final int DESCRIPTORS = 256;
    /** A server without Accel can have so many connections then, and a dozen descriptors are left. */
    private static final int CONNECTIONS = 235;
    /** So many leave room for links. */
    private static final int FEW = 100;

    /** The kernel's usual limit is 65,530, of which a JVM takes some hundred. */
    private static final int LEFT_MAPPINGS = 1_530;

    private static final int MOST_MAPPINGS = 300_000;
    private static final int MANY = 1_500;
    /** Each takes several mappings. */
    private static final int THREADS = 200;

    private static final int SOME_LINKS = 8;
    private static final String TRACING = "needs root, or kernel.yama.ptrace_scope=0, to trace a program";

    private static final Duration TALK = Duration.ofSeconds(40);

    @BeforeAll
    static void isAboutAccel() {
        assumeTrue(Launch.isAccel(), "is about what Accel takes");
    }

    @ParameterizedTest(name = "{0}, {1}, handover.after={2}")
    @CsvSource({
        "latency,agent,0",
        "latency,property,0",
        "balanced,agent,0",
        "balanced,agent,auto",
        "balanced,property,8/64KiB",
        "throughput,property,0",
        "low-cpu,agent,0"
    })
    void aProgramGetsTheDescriptorsThatItGetsWithoutAccel(String profile, String way, String after) throws IOException {
        // Without Accel, to know that it works.
        try (Child server = Launch.plain(Talks.class, "do=answer")
                        .withDescriptors(DESCRIPTORS)
                        .start("a server without Accel");
                Child client = Launch.plain(Talks.class).start("a client without Accel")) {
            open(client, (int) server.awaitNumber("PORT", Ends.START), CONNECTIONS);
            talk(client, CONNECTIONS);
            assertThat(server.output()).doesNotContain("FAILED");
        }
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = launch(profile, way, directory, "do=answer")
                        .accel("handover.after", after)
                        .withDescriptors(DESCRIPTORS)
                        .start("the server")) {
            int port = (int) server.awaitNumber("PORT", Ends.START);
            try (Child client = launch(profile, way, directory)
                    .accel("handover.after", after)
                    .start("the client")) {
                open(client, port, FEW);
                awaitLinks(server, client, FEW, after);
                open(client, port, CONNECTIONS - FEW);
                talk(client, CONNECTIONS);
                talk(client, CONNECTIONS);
                assertThat(server.output()).doesNotContain("FAILED");
            }
            // There is room again.
            try (Child client = launch(profile, way, directory)
                    .accel("handover.after", after)
                    .start("another client")) {
                open(client, port, FEW);
                awaitLinks(server, client, FEW, after);
            }
            assertThat(server.output()).doesNotContain("FAILED").doesNotContain("\tat ");
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource({"latency,agent", "balanced,property"})
    void aProgramGetsTheMappingsThatItGetsWithoutAccel(String profile, String way) throws IOException {
        int limit = Integer.parseInt(
                Files.readAllLines(Path.of("/proc/sys/vm/max_map_count")).get(0));
        assumeTrue(limit < MOST_MAPPINGS, "vm.max_map_count is too high to be reached soon");
        int foreign = limit - LEFT_MAPPINGS;
        // Without Accel, to know that it works.
        try (Child server = Launch.plain(Talks.class, "do=answer", "maps=" + foreign)
                        .start("a server without Accel");
                Child client = Launch.plain(Talks.class).start("a client without Accel")) {
            open(client, (int) server.awaitNumber("PORT", TALK), MANY);
            talk(client, MANY);
            startThreads(server);
            assertThat(server.output()).doesNotContain("FAILED");
        }
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = launch(profile, way, directory, "do=answer", "maps=" + foreign)
                        .start("the server");
                Child client = launch(profile, way, directory).start("the client")) {
            int port = (int) server.awaitNumber("PORT", TALK);
            open(client, port, MANY);
            talk(client, MANY);
            startThreads(server);
            talk(client, MANY);
            assertThat(ProcFs.mappings(server.pid()))
                    .as("mappings of the server")
                    .isBetween(foreign, limit - LEFT_MAPPINGS / 3);
            assertThat(server.isAlive()).isTrue();
            assertThat(server.output()).doesNotContain("FAILED");
        }
    }

    @Test
    void withoutAccelNothingIsOpenedWithTheLastDescriptor() {
        try (Child program =
                Launch.plain(LastDescriptors.class).withDescriptors(DESCRIPTORS).start("a program without Accel")) {
            program.awaitLine("READY", Ends.START);
            for (Opening opening : Opening.values()) {
                program.send(opening.name());
                program.awaitLine(opening + " FAILED", TALK);
            }
        }
    }

    /** What Accel has taken is the program's when it has nothing else left. */
    @ParameterizedTest
    @EnumSource
    void whatFindsNoDescriptorGetsThoseOfLinks(Opening opening) throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child program = Launch.accelerated(LastDescriptors.class)
                        .accel("shm.dir", directory.path())
                        .byAgent()
                        .withDescriptors(DESCRIPTORS)
                        .start("the program")) {
            program.awaitLine("READY", Ends.START);
            awaitLinks(program);
            program.send(opening.name());
            assertThat(program.awaitLine(opening + " ", TALK)).isEqualTo(opening + " OPENED");
        }
    }

    @Test
    void withoutAccelEachCallThatFailsIsTold() {
        assumeTrue(FailingCalls.arePossible(), TRACING);
        try (Child program = Launch.plain(LastDescriptors.class).start("a program without Accel")) {
            program.awaitLine("READY", Ends.START);
            for (Opening opening : Opening.values()) {
                program.send("TALK");
                program.awaitLine("TALKED", TALK);
                assertThat(saidWhenCallsFail(program, opening, "ENOMEM", 1))
                        .contains("FAILED", "Cannot allocate memory");
            }
        }
    }

    /**
     * Whatever the kernel says is lacking: memory once, or files twice, since one can be opened at the first. The operation is tried again only
     * if links have been given back, or selectors that sleeping threads have left. On a busy machine these may come too late for one
     * operation, and are there for the next.
     */
    @ParameterizedTest
    @CsvSource({"ENFILE,2,balanced", "ENOMEM,1,latency", "ENOBUFS,1,low-cpu", "EMFILE,2,throughput"})
    void whatTheKernelRefusesGetsWhatLinksHave(String error, int times, String profile) throws IOException {
        assumeTrue(FailingCalls.arePossible(), TRACING);
        try (SharedDirectory directory = SharedDirectory.create();
                Child program = Launch.accelerated(LastDescriptors.class)
                        .profile(profile)
                        .accel("shm.dir", directory.path())
                        .accel("handover.idle", "forever")
                        .byAgent()
                        .start("the program")) {
            program.awaitLine("READY", Ends.START);
            for (Opening opening : Opening.values()) {
                await().pollInSameThread().atMost(TALK).untilAsserted(() -> {
                    awaitLinks(program);
                    assertThat(saidWhenCallsFail(program, opening, error, times))
                            .startsWith(opening + " " + (isLost(opening) ? "FAILED" : "OPENED"));
                });
            }
        }
    }

    private static String saidWhenCallsFail(Child program, Opening opening, String error, int times) {
        try (FailingCalls calls = FailingCalls.of(program, error, times)) {
            program.send("NEW " + opening);
            String said = program.awaitLine(opening + " ", TALK);
            assertThat(calls.isOn()).isTrue();
            return said;
        }
    }

    /** Whether the JDK closes what has failed so, so that only the program's next attempt finds what links had. */
    private static boolean isLost(Opening opening) {
        return opening == Opening.CHANNEL_CONNECT || opening == Opening.BOUND_SOCKET_CONNECT;
    }

    private static void awaitLinks(Child program) {
        await().pollInSameThread().atMost(TALK).untilAsserted(() -> {
            program.send("TALK");
            program.awaitLine("TALKED", TALK);
            assertThat(ProcFs.ringsBelow(program.pid())).as("links").isGreaterThanOrEqualTo(SOME_LINKS);
        });
    }

    private static Launch launch(String profile, String way, SharedDirectory directory, String... arguments) {
        Launch launch =
                Launch.accelerated(Talks.class, arguments).profile(profile).accel("shm.dir", directory.path());
        return way.equals("agent") ? launch.byAgent() : launch;
    }

    private static void open(Child client, int port, int count) {
        client.send("OPEN " + port + " " + count);
        client.awaitLine("OPENED ", TALK);
    }

    private static void startThreads(Child server) {
        server.send("THREADS " + THREADS);
        assertThat(server.awaitNumber("STARTED", TALK)).isEqualTo(THREADS);
    }

    private static void talk(Child client, int latest) {
        client.send("TALK " + latest + " 1");
        assertThat(client.awaitNumber("TALKED", TALK)).isEqualTo(latest);
    }

    /** By default it depends on the machine's load when a young process has links, if ever: then its program has what it needs all the same. */
    private static void awaitLinks(Child server, Child client, int connections, String after) {
        if (after.equals("auto")) {
            talk(client, connections);
            return;
        }
        await().pollInSameThread().atMost(TALK).untilAsserted(() -> {
            talk(client, connections);
            assertThat(ProcFs.ringsBelow(server.pid())).as("links").isGreaterThanOrEqualTo(SOME_LINKS);
        });
    }
}
