// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.samples.it.harness.RdmaResources;
import io.accel.testing.RealProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Apache ZooKeeper as it comes from its project, over RDMA: the server on one host, its client on another. Four
 * witnesses show which path its connections took: Accel's log, and on both hosts the kernel's tables of TCP connections
 * and of queue pairs.
 */
@RealProgram(
        name = "Apache ZooKeeper, NIO server and client",
        artifact = "org.apache.zookeeper:zookeeper",
        how = "server and clients on two hosts; the server killed and restarted",
        over = RealProgram.Fabric.RDMA)
@Timeout(900)
@EnabledIfSystemProperty(
        named = "zookeeper.host",
        matches = ".+",
        disabledReason = "needs two hosts: samples/lab/zookeeper runs this in the lab")
class ZooKeeperBetweenHostsIT {
    private static final Duration HOST_START = Duration.ofMinutes(5);
    private static final int ANSWER_MILLIS = 300_000;
    private static final Duration MOVE = Duration.ofMinutes(2);

    private Socket host;
    private BufferedReader in;
    private PrintStream out;

    @BeforeEach
    void meetTheHost() throws IOException {
        String[] address = System.getProperty("zookeeper.host").split(":", 2);
        await().atMost(HOST_START).ignoreExceptions().until(() -> {
            host = new Socket();
            host.connect(new InetSocketAddress(address[0], Integer.parseInt(address[1])), ANSWER_MILLIS);
            return true;
        });
        host.setSoTimeout(ANSWER_MILLIS);
        in = new BufferedReader(new InputStreamReader(host.getInputStream(), StandardCharsets.UTF_8));
        out = new PrintStream(host.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    @AfterEach
    void leaveTheHost() throws IOException {
        host.close();
    }

    private String ask(String command) throws IOException {
        out.println(command);
        return in.readLine();
    }

    @Test
    void createsReadsAndWatches() throws IOException {
        String server = ask("SERVER");
        try (ZooKeeperClient client = ZooKeeperClient.connect(server);
                ZooKeeperClient other = ZooKeeperClient.connect(server)) {
            try {
                client.ask("CREATE 0 500");
                client.ask("CHECK 0 500");
                other.ask("WATCH 0 500");
                client.ask("CHECK 0 500");
                assertByRdma(server, client, 1);
                assertByRdma(server, other, 1);
            } catch (AssertionError e) {
                throw explained(e);
            }
        }
    }

    @Test
    void comesBackToAServerThatWasKilled() throws IOException {
        String server = ask("SERVER");
        try (ZooKeeperClient client = ZooKeeperClient.connect(server)) {
            try {
                client.ask("CREATE 1000 1200");
                assertThat(ask("KILL")).isEqualTo("OK");
                assertThat(ask("START")).isEqualTo("OK");
                client.ask("CREATE 1200 1400");
                client.ask("CHECK 1000 1400");
                assertByRdma(server, client, 2);
            } catch (AssertionError e) {
                throw explained(e);
            }
        }
    }

    /** Has the other host print what the server knows, since a client knows only that it was not answered. */
    private AssertionError explained(AssertionError failure) throws IOException {
        assertThat(ask("EXPLAIN")).isEqualTo("OK");
        return failure;
    }

    private void assertByRdma(String server, ZooKeeperClient client, int least) throws IOException {
        int port = Integer.parseInt(server.substring(server.indexOf(':') + 1));
        // The log has a connection when it has moved.
        await().atMost(MOVE).untilAsserted(() -> {
            List<String> connects = client.output()
                    .lines()
                    .filter(line -> line.contains("accel: connected "))
                    .toList();
            assertThat(connects).as("what the client's log says").hasSizeGreaterThanOrEqualTo(least);
            // Those before it may have been refused, through the kernel, while there was no server.
            assertThat(connects.get(connects.size() - 1))
                    .as("the latest connection")
                    .contains(":" + port + " ")
                    .endsWith(" by rdma");
        });
        assertThat(RdmaResources.connections()).as("queue pairs here").isPositive();
        String[] there = ask("WITNESS").split(" ", -1);
        assertThat(Integer.parseInt(there[0])).as("queue pairs there").isPositive();
        assertThat(Integer.parseInt(there[1]))
                .as("connections that the server's log has by rdma")
                .isPositive();
    }
}
