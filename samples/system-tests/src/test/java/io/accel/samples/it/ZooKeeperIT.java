// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.PathEvidence;
import io.accel.testing.RealProgram;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Apache ZooKeeper as it comes from its project: server and client in JVMs of their own, over NIO. */
@RealProgram(
        name = "Apache ZooKeeper, NIO server and client",
        artifact = "org.apache.zookeeper:zookeeper",
        how = "an ensemble's servers and clients in JVMs of their own, under load; a server killed and restarted")
@Timeout(180)
class ZooKeeperIT {
    @TempDir
    private Path directory;

    @Test
    void standaloneServerCreatesReadsAndWatches() throws IOException {
        try (ZooKeeperServers servers = ZooKeeperServers.start(directory, 1);
                ZooKeeperClient client = ZooKeeperClient.connect(servers.connectString())) {
            client.ask("CREATE 0 2000");
            client.ask("CHECK 0 2000");
            client.ask("WATCH 0 2000");
            client.ask("CHECK 0 2000");
            PathEvidence.assertAccelerated(servers.clientPort(0), 1);
        }
    }

    @Test
    void ensembleKeepsItsDataWhenTheClientsServerIsKilledAndRestarted() throws IOException {
        try (ZooKeeperServers servers = ZooKeeperServers.start(directory, 3);
                ZooKeeperClient client = ZooKeeperClient.connect(servers.connectString())) {
            client.ask("CREATE 0 500");
            int victim = servers.at(client.server());
            PathEvidence.assertAccelerated(servers.clientPort(victim), 1);

            servers.kill(victim);
            client.ask("CREATE 500 1000");
            int other = servers.at(client.server());
            assertThat(other).isNotEqualTo(victim);
            PathEvidence.assertAccelerated(servers.clientPort(other), 1);

            servers.restart(victim);
            try (ZooKeeperClient late = ZooKeeperClient.connect(servers.connectString(victim))) {
                late.ask("SYNC");
                late.ask("CHECK 0 1000");
                PathEvidence.assertAccelerated(servers.clientPort(victim), 1);
            }
        }
    }
}
