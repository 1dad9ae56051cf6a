// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.netty41;

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

/** The transport that a program on Netty 4.1 takes by itself, with the agent and without it. */
@RealProgram(
        name = "Netty 4.1, which would take epoll",
        artifact = "io.netty:netty-transport",
        how = "a byte to and fro, with the agent")
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "epoll is Linux's")
class Netty41ChoiceIT {
    private static final String AGENT = "-javaagent:" + System.getProperty("dropin.jar");
    private static final String TOLD = "Native transport was explicit disabled with -Dio.netty.transport.noNative=true";

    @TempDir
    private Path shared;

    @Test
    void withoutTheAgentItIsEpoll() throws Exception {
        List<String> lines = run();
        assertThat(lines).startsWith("read 7", "by EpollEventLoopGroup", "kernel's true");
        assertThat(lines).filteredOn(line -> line.contains(TOLD)).isEmpty();
    }

    @Test
    void withTheAgentItIsNioAndAccelerated() throws Exception {
        List<String> lines = run(AGENT);
        assertThat(said(lines)).hasSize(1);
        assertThat(lines)
                .contains("read 7", "by NioEventLoopGroup", "kernel's false", "kqueue: " + TOLD, "io_uring: " + TOLD);
    }

    @Test
    void theChoiceCanBeLeftToTheProgram() throws Exception {
        List<String> lines = run(AGENT + "=netty=keep");
        assertThat(said(lines)).isEmpty();
        assertThat(lines).contains("read 7", "by EpollEventLoopGroup", "kernel's true");
        assertThat(lines).filteredOn(line -> line.contains(TOLD)).isEmpty();
    }

    private static List<String> said(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("accel: Netty takes "))
                .toList();
    }

    private List<String> run(String... options) throws Exception {
        return new ChildJvm(EchoOnce.class)
                .with(AccelOptions.atOnceIn(shared))
                .with(options)
                .run()
                .orderly()
                .lines()
                .toList();
    }
}
