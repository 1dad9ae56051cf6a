// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.programs.SecureEcho;
import io.accel.testing.Child;
import io.accel.testing.RealProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The JDK's TLS, with certificates at both ends, over {@code java.net.Socket}s that the agent serves. */
@RealProgram(
        name = "JDK's TLS (`SSLSocket`, TLS 1.3, certificates at both ends), on `java.net.Socket`",
        how = "large transfers checked both ways and the orderly end, with the agent on both ends and on one")
@Timeout(120)
class SecureSocketIT {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration ANSWER = Duration.ofSeconds(40);

    @TempDir
    private Path directory;

    private String store;

    @BeforeEach
    void makeKey() throws IOException, InterruptedException {
        store = directory.resolve("store.p12").toString();
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-dname",
                        "CN=localhost",
                        "-keyalg",
                        "EC",
                        "-validity",
                        "2",
                        "-keystore",
                        store,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "password")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.txt").toFile())
                .start();
        try {
            assertThat(keytool.waitFor(START.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(keytool.exitValue()).isZero();
        } finally {
            keytool.destroyForcibly().waitFor();
        }
    }

    @Test
    void tlsGoesOverTheAgentsSockets() {
        talk(true);
    }

    @Test
    void aClientWithoutTheAgentTalksToTheSameServer() {
        talk(false);
    }

    private void talk(boolean accelerated) {
        try (Child server =
                agent(Launch.accelerated(SecureEcho.class, "server", store)).start("TLS server")) {
            int port = (int) server.awaitNumber("PORT", START);
            String[] arguments = {"client", store, Integer.toString(port)};
            Launch launch = accelerated
                    ? agent(Launch.accelerated(SecureEcho.class, arguments))
                    : Launch.plain(SecureEcho.class, arguments);
            try (Child client = launch.start("TLS client")) {
                assertThat(client.awaitLine("CONNECTED", START)).endsWith("TLSv1.3");
                ask(client, "1");
                ask(client, "3000000");
                if (accelerated) {
                    PathEvidence.assertAccelerated(port, 1);
                } else {
                    PathEvidence.assertKernel(port, 1);
                }
                client.send("END");
                client.awaitLine("CLOSED", ANSWER);
                assertThat(client.awaitExit(ANSWER)).isZero();
                server.awaitLine("SERVED", ANSWER);
            }
        }
    }

    private static void ask(Child client, String command) {
        client.send(command);
        client.awaitLine("OK " + command, ANSWER);
    }

    private static Launch agent(Launch launch) {
        return Launch.isAccel() ? launch.option("-javaagent:" + Launch.dropInJar()) : launch;
    }
}
