// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.RealProgram;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A program of others on asynchronous channels. */
@RealProgram(
        name = "Apache MINA SSHD, server and client, on asynchronous channels",
        artifact = "org.apache.sshd:sshd-core",
        how = "a key exchange, a login and a command, with the agent")
@Timeout(120)
class SshIT {
    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aSessionIsAccelerated(Path jdk) throws Exception {
        for (boolean accel : new boolean[] {false, true}) {
            List<String> options = new ArrayList<>(accel ? List.of("-javaagent:" + Child.JAR) : List.of());
            options.addAll(List.of(
                    "-cp",
                    String.join(
                            File.pathSeparator,
                            Child.testClasses().toString(),
                            Child.libraries("/org/apache/sshd/"),
                            Child.libraries("/org/slf4j/"))));
            List<String> said = Child.linesOf(dir, Child.accelerated(jdk, options, SshOnce.class));
            assertThat(said)
                    .filteredOn(line -> !line.startsWith("SLF4J"))
                    .containsExactly("you said what", "by Nio2ServiceFactory", "kernel's " + !accel);
        }
    }
}
