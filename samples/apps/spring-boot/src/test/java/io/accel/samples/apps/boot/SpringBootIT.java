// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.AccelOptions;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import io.accel.testing.RealProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A program of Spring Boot, as {@code java -jar} runs it: its libraries are jars within its jar, which the system class loader does not
 * see. The client is another JVM, with the agent.
 */
@RealProgram(
        name = "Spring Boot with Tomcat 11",
        artifact = "org.springframework.boot:spring-boot-starter-webmvc",
        how =
                "`java -jar` with the agent, on one connection and on one for each request; with the starter, its metrics and health")
@RealProgram(
        name = "Spring Boot with WebFlux",
        artifact = "org.springframework.boot:spring-boot-starter-webflux",
        how =
                "`java -jar` with the agent, with the starter, and with both, on one connection and on one for each request")
@Timeout(120)
class SpringBootIT {
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
    private static final String AGENT = "-javaagent:" + System.getProperty("dropin.jar");
    private static final String PLAIN = System.getProperty("program") + "-plain.jar";
    private static final String WITH_STARTER = System.getProperty("program") + "-starter.jar";
    private static final String REACTIVE = "--spring.main.web-application-type=reactive";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int REQUESTS = 20;

    private static final Pattern PORT = Pattern.compile(" started on port (\\d+) ");
    private static final Pattern PAGE = Pattern.compile("metrics are at (http://\\S+)");
    private static final Pattern OPENED =
            Pattern.compile("accel_connections_opened_total\\{path=\"shm\",role=\"server\"} ([0-9.]+)");
    private static final Pattern MEASURED = Pattern.compile("\"value\":([0-9.]+)");
    private static final Pattern HEALTH = Pattern.compile("\"accelerating\":true,.*\"opened\":\\{\"shm\":(\\d+),");

    @TempDir
    private Path shared;

    @ParameterizedTest
    @CsvSource({"Tomcat, ''", "Netty, " + REACTIVE})
    void theProgramIsAcceleratedByTheAgentAlone(String server, String type) throws Exception {
        try (Child program = program(PLAIN, List.of(AGENT, "-Daccel.metrics=prometheus:127.0.0.1:0"), type)) {
            URI page = URI.create(rest(program, PAGE));
            int port = port(program, server);
            assertAccelerated(port, () -> number(OPENED, get(page)));
        }
    }

    @Test
    void theStarterTellsOfAServletApplicationsConnections() throws Exception {
        try (Child program = program(WITH_STARTER, List.of(AGENT), "")) {
            int port = port(program, "Tomcat");
            assertAccelerated(port, () -> openedAsToldBy(port));
            assertThat(number(HEALTH, get(actuator(port, "health")))).isEqualTo(openedAsToldBy(port));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theStarterServesWebFluxFromWithinTheJar(boolean agent) throws Exception {
        try (Child program = program(WITH_STARTER, agent ? List.of(AGENT) : List.of(), REACTIVE)) {
            int port = port(program, "Netty");
            assertAccelerated(port, () -> openedAsToldBy(port));
        }
    }

    /** How many connections got a path other than the kernel's. */
    @FunctionalInterface
    private interface Opened {
        int count() throws Exception;
    }

    private void assertAccelerated(int port, Opened opened) throws Exception {
        assertThat(opened.count()).as("before the first request").isZero();
        try (Child client = client(port, "keep")) {
            client.awaitLine("ANSWERS " + REQUESTS, PATIENCE);
            assertThat(ProcFs.ringsAt(port))
                    .as("rings that both ends have mapped")
                    .isEqualTo(1);
            client.closeInput();
            assertThat(client.awaitExit(PATIENCE)).as(client.output()).isZero();
        }
        try (Child client = client(port, "each")) {
            client.awaitLine("ANSWERS " + REQUESTS, PATIENCE);
            client.closeInput();
            assertThat(client.awaitExit(PATIENCE)).as(client.output()).isZero();
        }
        // A connection for one request may be over before it has moved.
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(opened.count()).isBetween(2, 1 + REQUESTS));
    }

    private Child program(String jar, List<String> options, String type) {
        List<String> command = command(options);
        command.addAll(List.of(
                "-jar",
                jar,
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off",
                "--management.endpoint.health.show-details=always",
                "--management.endpoints.web.exposure.include=health,metrics"));
        if (!type.isEmpty()) {
            command.add(type);
        }
        return start("the program", command);
    }

    private Child client(int port, String connections) {
        List<String> command = command(List.of(AGENT));
        command.addAll(List.of(
                "-cp",
                System.getProperty("test.classes"),
                Requests.class.getName(),
                Integer.toString(port),
                Integer.toString(REQUESTS),
                connections));
        return start("the client", command);
    }

    /** The beginning of a command; connections leave the kernel at once, on a slow machine, too. */
    private List<String> command(List<String> options) {
        List<String> command = new ArrayList<>(List.of(JAVA.toString(), "-Xmx256m", "-XX:TieredStopAtLevel=1"));
        command.addAll(AccelOptions.atOnceIn(shared));
        command.addAll(options);
        return command;
    }

    private static Child start(String name, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        return Child.start(name, builder);
    }

    private static int port(Child program, String server) {
        return Integer.parseInt(rest(program, Pattern.compile(server + PORT.pattern())));
    }

    /** The part that the pattern captures of what the program has printed: Accel's lines come from a thread of its own, and so in any order. */
    private static String rest(Child program, Pattern pattern) {
        await().alias(pattern + " in what " + program + " prints")
                .atMost(PATIENCE)
                .until(() -> pattern.matcher(program.output()).find());
        return captured(pattern, program.output());
    }

    private static int number(Pattern pattern, String text) {
        return (int) Double.parseDouble(captured(pattern, text));
    }

    private static String captured(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return matcher.group(1);
    }

    private static int openedAsToldBy(int port) throws IOException, InterruptedException {
        return number(MEASURED, get(actuator(port, "metrics/accel.connections.opened?tag=path:shm&tag=role:server")));
    }

    private static URI actuator(int port, String what) {
        return URI.create("http://127.0.0.1:" + port + "/actuator/" + what);
    }

    /** By a connection without Accel. */
    private static String get(URI uri) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(PATIENCE).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
