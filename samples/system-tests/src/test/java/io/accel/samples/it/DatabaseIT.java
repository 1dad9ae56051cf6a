// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.programs.DatabaseLoad;
import io.accel.testing.Child;
import io.accel.testing.RealProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The H2 database as it comes from its project, server and JDBC driver in JVMs of their own: programs of blocking {@code
 * java.net.Socket}s, which the agent serves.
 */
@RealProgram(
        name = "H2, database server and JDBC driver, on `java.net.Socket`",
        artifact = "com.h2database:h2",
        how = "tables, transactions, large objects, with the agent on both ends and on one")
@Timeout(120)
class DatabaseIT {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration ANSWER = Duration.ofSeconds(40);
    private static final Pattern PORT = Pattern.compile("tcp://[^ ]*:(\\d+)");

    @TempDir
    private Path directory;

    private Child server;
    private int port;

    @BeforeEach
    void start() {
        server = agent(Launch.accelerated(
                                "org.h2.tools.Server",
                                "-tcp",
                                "-tcpPort",
                                "0",
                                "-ifNotExists",
                                "-baseDir",
                                directory.toString())
                        .testClassPath()
                        .option("-Dh2.bindAddress=127.0.0.1"))
                .start("database");
        Matcher line = PORT.matcher(server.awaitLine("its port", text -> text.contains("tcp://"), START));
        if (!line.find()) {
            throw new AssertionError(server.output());
        }
        port = Integer.parseInt(line.group(1));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aDriverWorksOverTheAgentsSockets() {
        try (Child client = client(true)) {
            work(client);
            PathEvidence.assertAccelerated(port, 1);
            try (Child second = client(true)) {
                ask(second, "SUM 1000");
                PathEvidence.assertAccelerated(port, 2);
            }
        }
    }

    @Test
    void aDriverWithoutTheAgentWorksWithTheSameServer() {
        try (Child client = client(false)) {
            work(client);
            PathEvidence.assertKernel(port, 1);
        }
    }

    private static void work(Child client) {
        ask(client, "FILL 1000");
        ask(client, "SUM 1000");
        ask(client, "BLOB 3000000");
        ask(client, "ROLLBACK");
        ask(client, "SUM 1000");
    }

    private Child client(boolean accelerated) {
        String url = "jdbc:h2:tcp://127.0.0.1:" + port + "/it";
        Launch launch = accelerated
                ? agent(Launch.accelerated(DatabaseLoad.class, url))
                : Launch.plain(DatabaseLoad.class, url);
        Child client = launch.testClassPath().start("driver");
        try {
            client.awaitLine("CONNECTED", START);
            return client;
        } catch (AssertionError e) {
            client.close();
            throw e;
        }
    }

    private static Launch agent(Launch launch) {
        return Launch.isAccel() ? launch.option("-javaagent:" + Launch.dropInJar()) : launch;
    }

    private static void ask(Child client, String command) {
        client.send(command);
        client.awaitLine("OK " + command, ANSWER);
    }
}
