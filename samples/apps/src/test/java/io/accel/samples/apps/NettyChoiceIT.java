// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import io.accel.testing.ChildJvm;
import io.accel.testing.RealProgram;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The transports that Netty 4.2 finds, and the Netty 4.1 that is relocated into gRPC's jar, with the agent and without it. */
@RealProgram(
        name = "Netty 4.2, which would take io_uring or epoll",
        artifact = "io.netty:netty-transport-native-io_uring",
        how = "a byte to and fro, with the agent")
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "epoll is Linux's")
class NettyChoiceIT {
    private static final String AGENT = "-javaagent:" + Apps.DROP_IN_JAR;
    private static final String TOLD = "Native transport was explicit disabled with -Dio.netty.transport.noNative=true";

    @TempDir
    private Path shared;

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
        assertThat(run(AGENT + "=profile=off")) // and perhaps the log's line about the profile
                .filteredOn(line -> line.contains("epoll "))
                .containsExactly("epoll true", "relocated epoll true");
    }

    private static List<String> said(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("accel: Netty takes "))
                .toList();
    }

    @Test
    void withoutTheAgentAProgramTakesANativeTransport() throws Exception {
        List<String> lines = echo();
        assertThat(lines).startsWith("read 7").contains("kernel's true", "epoll: available");
        assertThat(lines).filteredOn(line -> line.startsWith("by ")).isSubsetOf("by io_uring", "by epoll");
        assertThat(lines).filteredOn(line -> line.contains(TOLD)).isEmpty();
    }

    @Test
    void withTheAgentItTakesNioAndIsAccelerated() throws Exception {
        List<String> lines = echo(AGENT);
        assertThat(lines)
                .contains(
                        "read 7", "by nio", "kernel's false", "epoll: " + TOLD, "io_uring: " + TOLD, "kqueue: " + TOLD);
        assertThat(said(lines)).hasSize(1);
    }

    @Test
    void aProgramToWhichTheChoiceIsLeftTakesANativeTransport() throws Exception {
        List<String> lines = echo(AGENT + "=netty=keep");
        assertThat(lines).contains("read 7", "kernel's true", "epoll: available");
        assertThat(lines).filteredOn(line -> line.startsWith("by ")).isSubsetOf("by io_uring", "by epoll");
        assertThat(said(lines)).isEmpty();
    }

    private List<String> echo(String... options) throws Exception {
        return new ChildJvm(NettyEchoOnce.class)
                .with(AccelOptions.atOnceIn(shared))
                .with(options)
                .run()
                .orderly()
                .lines()
                .toList();
    }

    private static List<String> run(String... options) throws Exception {
        return new ChildJvm(TransportsThere.class)
                .with(options)
                .run()
                .orderly()
                .lines()
                .toList();
    }
}
