// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Talks;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two hundred connections between two programs in a container's 64 MiB of shared memory, with each profile as it is: all work, on
 * whichever path, and idle connections make way for a busy one.
 */
@Timeout(90)
class CrowdedMemoryIT {
    private static final String ROOM = "64m";
    private static final int ALL = 200;
    /**
     * So many connections have memory before the one without memory comes. There is room for some more with the largest rings
     * that such frames want.
     */
    private static final int SOME_LINKS = 100;

    private static final Duration TALK = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(250);
    /** A connection that found no room asks again after a second, two, and four. */
    private static final Duration SEVERAL_PAUSES = Duration.ofSeconds(15);

    @BeforeAll
    static void isAboutAccel() {
        assumeTrue(Launch.isAccel(), "is about Accel's memory");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"latency", "balanced", "throughput", "low-cpu"})
    void allTalkAndThoseThatAreIdleMakeWay(String profile) throws IOException, InterruptedException {
        try (SharedDirectory small = SharedDirectory.ofSize(ROOM);
                Child server = launch(profile, small.path(), "do=answer").start("the server");
                Child client = launch(profile, small.path()).start("the client")) {
            int port = (int) server.awaitNumber("PORT", Ends.START);
            int another = (int) server.awaitNumber("PORT", Ends.START);
            open(client, port, ALL - 1);
            awaitMemoryOfSome(client, port);
            Ballast.fill(small.path()); // where there is some room left
            open(client, another, 1); // it will get the memory of an idle connection, since there is no other
            awaitMemoryWhileItTalks(client, server, another);
            talk(client, ALL, 1);
            assertThat(server.output()).doesNotContain("FAILED");
            for (Child each : new Child[] {server, client}) {
                assertThat(each.output()).doesNotContain("met an error");
            }
        }
    }

    private static Launch launch(String profile, Path directory, String... arguments) {
        return Launch.accelerated(Talks.class, arguments).profile(profile).accel("shm.dir", directory);
    }

    private static void open(Child client, int port, int count) {
        client.send("OPEN " + port + " " + count);
        client.awaitLine("OPENED ", TALK);
    }

    private static void talk(Child client, int latest, int frames) {
        client.send("TALK " + latest + " " + frames);
        assertThat(client.awaitNumber("TALKED", TALK)).isEqualTo(latest);
    }

    /** With pauses, in which who moves connections gets a processor. */
    private static void awaitMemoryOfSome(Child client, int port) {
        await().pollDelay(Duration.ZERO).pollInterval(PAUSE).atMost(TALK).until(() -> {
            talk(client, ALL - 1, 1);
            return ProcFs.ringsBelow(client.pid(), port) >= SOME_LINKS;
        });
    }

    /** The latest connection alone, which is the only one to that port. */
    private static void awaitMemoryWhileItTalks(Child client, Child server, int port) {
        await().pollInterval(Duration.ofMillis(20)).atMost(SEVERAL_PAUSES).until(() -> {
            talk(client, 1, 1);
            return ProcFs.ringsBelow(client.pid(), port) == 1 && ProcFs.ringsBelow(server.pid(), port) == 1;
        });
    }
}
