// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.MemoryGroup;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Talks;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two programs in a container whose limit leaves, beside two heaps, too little memory for the rings of their connections: connections
 * without memory stay with the kernel, which kills neither program.
 */
@Timeout(120)
class MemoryLimitIT {
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 384 * MIB;
    /** The memory that a container's programs take by themselves: a quarter of its limit. */
    private static final long MOST = LIMIT / 4;

    private static final int RING = 2;
    /** Their rings are as large as the whole container. */
    private static final int ALL = (int) (LIMIT / MIB / (2 * RING));

    private static final Duration TALK = Duration.ofSeconds(30);

    @BeforeAll
    static void isAboutAccel() {
        assumeTrue(Launch.isAccel(), "is about Accel's memory");
    }

    @ParameterizedTest(name = "shm.max={0}")
    @ValueSource(strings = {"", "96MiB"})
    void connectionsBeyondTheContainersMemoryStayWithTheKernel(String most) throws IOException {
        try (MemoryGroup group = MemoryGroup.ofSize(LIMIT);
                SharedDirectory directory = SharedDirectory.create();
                Child server = launch(group, directory, most, "do=answer").start("the server");
                Child client = launch(group, directory, most).start("the client")) {
            int port = (int) server.awaitNumber("PORT", Ends.START);
            client.send("OPEN " + port + " " + ALL);
            client.awaitLine("OPENED ", TALK);
            // Both ask again from time to time, and the memory of idle connections goes to others.
            await().atMost(TALK).untilAsserted(() -> {
                talk(client);
                assertThat(ProcFs.ringsBelow(client.pid(), port))
                        .as("rings, of which so many fit")
                        .isGreaterThanOrEqualTo(MOST / MIB / (2 * RING) / 2);
                assertThat(client.output() + server.output()).contains(" by kernel (SHM_CAP: ");
                // The other end may hold for a moment longer what one end has given back.
                assertThat(group.shared())
                        .as("rings count as the container's memory")
                        .isBetween(MOST / 2, 2 * MOST);
            });
            talk(client);
            assertThat(group.killed()).as("processes ended for want of memory").isZero();
            assertThat(server.isAlive() && client.isAlive()).isTrue();
            assertThat(server.output()).doesNotContain("FAILED");
        }
    }

    private static Launch launch(MemoryGroup group, SharedDirectory directory, String most, String... arguments) {
        Launch launch = Launch.accelerated(Talks.class, arguments)
                .inGroup(group)
                .accel("shm.dir", directory.path())
                .accel("ring.initial", RING + "MiB")
                .accel("ring.size", RING + "MiB")
                .accel("log.connections", true)
                .option("-Xmx64m")
                .option("-XX:MaxMetaspaceSize=48m");
        return most.isEmpty() ? launch : launch.accel("shm.max", most);
    }

    private static void talk(Child client) {
        client.send("TALK " + ALL + " 1");
        assertThat(client.awaitNumber("TALKED", TALK)).isEqualTo(ALL);
    }
}
