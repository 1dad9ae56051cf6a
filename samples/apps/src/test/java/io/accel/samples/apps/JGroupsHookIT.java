// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import io.accel.testing.RealProgram;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** JGroups' own way to another provider of channels, without the agent and without the property. */
@RealProgram(
        name = "JGroups over `TCP_NIO2`",
        artifact = "org.jgroups:jgroups",
        how = "a message between two members whose `SocketFactory` names the provider, without agent and property")
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "the JDK's provider has another name elsewhere")
class JGroupsHookIT {
    private static final String JDKS = "sun.nio.ch.EPollSelectorProvider";

    @TempDir
    private Path shared;

    @Test
    void whatTheSocketFactoryOpensIsAccelerated() {
        assertThat(run("io.accel.nio.AccelSelectorProvider"))
                .contains("received 100", "kernel's false", "the JVM's provider is " + JDKS);
    }

    @Test
    void withTheJdksProviderItIsNot() {
        assertThat(run(JDKS)).contains("received 100", "kernel's true", "the JVM's provider is " + JDKS);
    }

    private List<String> run(String provider) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED")); // the JDK's provider is created by name, too
        words.addAll(AccelOptions.atOnceIn(shared));
        words.addAll(List.of(
                "-cp",
                Apps.DROP_IN_JAR + File.pathSeparator + ChildJvm.classPath(),
                JGroupsByHook.class.getName(),
                provider));
        ProcessBuilder command = new ProcessBuilder(words);
        command.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        try (Child members = Child.start("the members", command)) {
            assertThat(members.awaitExit(Duration.ofSeconds(60)))
                    .as(members.output())
                    .isZero();
            return members.output().lines().toList();
        }
    }
}
