// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
    private static final int SOME_LINKS = 8;
    private static final Duration TALK = Duration.ofSeconds(40);

    @BeforeAll
    static void isAboutAccel() {
        assumeTrue(Launch.isAccel(), "is about what Accel takes");
    }

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource({"latency,agent", "latency,property", "balanced,agent", "throughput,property", "low-cpu,agent"})
    void aProgramGetsTheDescriptorsThatItGetsWithoutAccel(String profile, String way) throws IOException {
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
                        .withDescriptors(DESCRIPTORS)
                        .start("the server")) {
            int port = (int) server.awaitNumber("PORT", Ends.START);
            try (Child client = launch(profile, way, directory).start("the client")) {
                open(client, port, FEW);
                awaitLinks(server, client, FEW);
                open(client, port, CONNECTIONS - FEW);
                talk(client, CONNECTIONS);
                talk(client, CONNECTIONS);
                assertThat(server.output()).doesNotContain("FAILED");
            }
            // There is room again.
            try (Child client = launch(profile, way, directory).start("another client")) {
                open(client, port, FEW);
                awaitLinks(server, client, FEW);
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
            assertThat(server.output()).doesNotContain("FAILED");
        }
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = launch(profile, way, directory, "do=answer", "maps=" + foreign)
                        .start("the server");
                Child client = launch(profile, way, directory).start("the client")) {
            int port = (int) server.awaitNumber("PORT", TALK);
            open(client, port, MANY);
            talk(client, MANY);
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
            await().pollInSameThread().atMost(TALK).untilAsserted(() -> {
                program.send("TALK");
                program.awaitLine("TALKED", TALK);
                assertThat(ProcFs.ringsBelow(program.pid())).as("links").isGreaterThanOrEqualTo(SOME_LINKS);
            });
            program.send(opening.name());
            assertThat(program.awaitLine(opening + " ", TALK)).isEqualTo(opening + " OPENED");
        }
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

    private static void talk(Child client, int latest) {
        client.send("TALK " + latest + " 1");
        assertThat(client.awaitNumber("TALKED", TALK)).isEqualTo(latest);
    }

    private static void awaitLinks(Child server, Child client, int connections) {
        await().pollInSameThread().atMost(TALK).untilAsserted(() -> {
            talk(client, connections);
            assertThat(ProcFs.ringsBelow(server.pid())).as("links").isGreaterThanOrEqualTo(SOME_LINKS);
        });
    }
}
