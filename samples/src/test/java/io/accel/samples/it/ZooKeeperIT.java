package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.Child;
import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.programs.ZooKeeperLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Apache ZooKeeper as it comes from its project: server and client in JVMs of their own, over NIO. */
@Timeout(180)
class ZooKeeperIT {
    private static final Duration START = Duration.ofSeconds(45);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    void standaloneServerCreatesReadsAndWatches() throws IOException {
        try (ZooKeeperServers servers = ZooKeeperServers.start(directory, 1);
                Child client = client(servers.connectString())) {
            ask(client, "CREATE 0 2000");
            ask(client, "CHECK 0 2000");
            ask(client, "WATCH 0 2000");
            ask(client, "CHECK 0 2000");
            PathEvidence.assertAccelerated(servers.clientPort(0), 1);
        }
    }

    @Test
    void ensembleKeepsItsDataWhenTheClientsServerIsKilledAndRestarted() throws IOException {
        try (ZooKeeperServers servers = ZooKeeperServers.start(directory, 3);
                Child client = client(servers.connectString())) {
            ask(client, "CREATE 0 500");
            int victim = serverOf(client, servers);
            PathEvidence.assertAccelerated(servers.clientPort(victim), 1);

            servers.kill(victim);
            ask(client, "CREATE 500 1000");
            int other = serverOf(client, servers);
            assertThat(other).isNotEqualTo(victim);
            PathEvidence.assertAccelerated(servers.clientPort(other), 1);

            servers.restart(victim);
            try (Child late = client(servers.connectString(victim))) {
                ask(late, "SYNC");
                ask(late, "CHECK 0 1000");
                PathEvidence.assertAccelerated(servers.clientPort(victim), 1);
            }
        }
    }

    private static Child client(String servers) {
        Child client = Launch.accelerated(ZooKeeperLoad.class, servers)
                .testClassPath()
                .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
                .start("ZooKeeper client of " + servers);
        try {
            client.awaitLine("CONNECTED", START);
            return client;
        } catch (AssertionError e) {
            client.close();
            throw e;
        }
    }

    private static int serverOf(Child client, ZooKeeperServers servers) {
        client.send("SERVER");
        return servers.at(client.awaitLine("SERVER ", ANSWER).substring("SERVER ".length()));
    }

    private static void ask(Child client, String command) {
        client.send(command);
        client.awaitLine("OK " + command, ANSWER);
    }
}
