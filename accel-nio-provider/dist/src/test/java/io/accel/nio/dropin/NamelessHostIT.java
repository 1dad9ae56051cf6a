// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.testing.AccelOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * On a host whose own name cannot be resolved, as in many containers: a program that connects to the wildcard address reaches this
 * host, or fails, as with the JDK.
 */
class NamelessHostIT {
    private static final String NAME = "nobody.invalid";
    /** In a namespace of its own, so that this machine keeps its name. */
    private static final List<String> RENAMED = List.of(
            "unshare",
            "--map-root-user",
            "--uts",
            "sh",
            "-c",
            "echo " + NAME + " > /proc/sys/kernel/hostname && exec \"$@\"",
            "sh");

    @TempDir
    private Path dir;

    @BeforeEach
    void lookForNamespaces() throws InterruptedException {
        List<String> command = new ArrayList<>(RENAMED);
        command.add("true");
        try (Child child = Child.start(dir, command)) {
            assumeTrue(child.status() == 0, "needs the right to give a process another host's name");
        } catch (IOException e) {
            abort("no program to give a process another host's name: " + e.getMessage());
        }
    }

    static Stream<Arguments> jdksAndStacks() {
        return Child.jdks().flatMap(jdk -> Stream.of(Arguments.of(jdk, false), Arguments.of(jdk, true)));
    }

    @ParameterizedTest(name = "{0}, without IPv6: {1}")
    @MethodSource("jdksAndStacks")
    void connectsToTheWildcardAddressDoWhatTheJdksDo(Path jdk, boolean withoutIpv6) throws Exception {
        List<String> plain = run(jdk, withoutIpv6);
        assertThat(plain).startsWith("own name unknown").endsWith("moved 0");
        assertThat(plain)
                .filteredOn(line -> line.contains("0.0.0.0: read 7 of "))
                .as("those that connect: %s", plain)
                .hasSize(3);
        long connected = plain.stream().filter(line -> line.contains("read 7")).count();
        List<String> expected = new ArrayList<>(plain);
        expected.set(expected.size() - 1, "moved " + connected);
        assertThat(run(jdk, withoutIpv6, "-javaagent:" + Child.JAR, "-Daccel.handover.after=connect"))
                .containsExactlyElementsOf(expected);
    }

    /** No name service is asked, which might know the name after all. */
    private List<String> run(Path jdk, boolean withoutIpv6, String... options) throws Exception {
        Path hosts = Files.writeString(dir.resolve("hosts"), "127.0.0.1 localhost\n");
        List<String> command = new ArrayList<>(RENAMED);
        command.add(jdk.resolve("bin/java").toString());
        command.add("-Djdk.net.hosts.file=" + hosts);
        command.add("-Djava.net.preferIPv4Stack=" + withoutIpv6);
        command.addAll(AccelOptions.PATIENT);
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", Child.testClasses().toString(), WildcardOnce.class.getName()));
        return Child.linesOf(dir, command);
    }
}
