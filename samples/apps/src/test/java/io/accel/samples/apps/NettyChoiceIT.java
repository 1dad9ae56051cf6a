// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The transports that Netty 4.2 finds, and the Netty 4.1 that is relocated into gRPC's jar, with the agent and without it. */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "epoll is Linux's")
class NettyChoiceIT {
    private static final String AGENT = "-javaagent:"
            + Path.of("..", "..", "accel-nio-provider", "target", "accel.jar")
                    .toAbsolutePath()
                    .normalize();

    @TempDir
    private Path dir;

    @Test
    void withoutTheAgentNettyHasEpoll() throws Exception {
        assertThat(run()).containsExactly("epoll true", "relocated epoll true");
    }

    @Test
    void withTheAgentNettyHasNioAlone() throws Exception {
        List<String> lines = run(AGENT);
        assertThat(lines).contains("epoll false", "relocated epoll false");
        assertThat(said(lines))
                .hasSize(2)
                .allMatch(line -> line.contains("-Daccel.netty=keep"))
                .anyMatch(line -> line.contains("-Dio.netty.transport.noNative=true"))
                .anyMatch(line -> line.contains("-Dio.grpc.netty.shaded.io.netty.transport.noNative=true"));
    }

    @Test
    void twoAgentsSayItOnce() throws Exception {
        List<String> lines = run(AGENT, AGENT);
        assertThat(lines).contains("epoll false", "relocated epoll false");
        assertThat(said(lines)).hasSize(2);
    }

    @Test
    void theChoiceCanBeLeftToTheProgram() throws Exception {
        for (List<String> lines : List.of(run(AGENT + "=netty=keep"), run(AGENT, "-Daccel.netty=keep"))) {
            assertThat(lines)
                    .contains(
                            "epoll true",
                            "relocated epoll true"); // and what Accel says of itself, unless the program ends first
            assertThat(said(lines)).isEmpty();
        }
    }

    @Test
    void whatTheUserSaysOfATransportStays() throws Exception {
        List<String> lines = run(AGENT, "-Dio.netty.transport.noNative=false");
        assertThat(lines).contains("epoll true", "relocated epoll false");
        assertThat(said(lines)).hasSize(1);
    }

    @Test
    void inProfileOffNettyHasEpoll() throws Exception {
        assertThat(run(AGENT + "=profile=off")).containsExactly("epoll true", "relocated epoll true");
    }

    private static List<String> said(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("accel: Netty takes "))
                .toList();
    }

    private List<String> run(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), TransportsThere.class.getName()));
        File output = dir.resolve("output").toFile();
        Process program = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).as("its end").isTrue();
        } finally {
            program.destroyForcibly().waitFor();
        }
        List<String> lines = Files.readAllLines(output.toPath(), StandardCharsets.UTF_8);
        assertThat(program.exitValue()).as("status of %s", lines).isZero();
        return lines;
    }
}
