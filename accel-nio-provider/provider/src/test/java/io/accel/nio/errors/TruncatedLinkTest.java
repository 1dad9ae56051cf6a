// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process that has the file of a connection open truncates it. The connection ends at both ends, and both programs are told; the server's other
 * connections go on, and so do both JVMs. JDK 17 does not promise that: it tells of such a fault late, and ends if an atomic operation meets it
 * first.
 */
@Timeout(200)
class TruncatedLinkTest {
    private static final int FIRST_SOUND_RELEASE = 21;

    /** This JDK and the newer one, if there is one, as far as they tell of faults in time. */
    static Stream<Path> jdks() {
        Path own = Path.of(System.getProperty("java.home"));
        Path newer = Path.of(System.getProperty("newer.jdk", "/usr/lib/jvm/temurin-25-jdk-amd64"));
        return Stream.of(own, newer)
                .distinct()
                .filter(Files::isDirectory)
                .filter(jdk -> ChildJvm.feature(jdk).orElse(0) >= FIRST_SOUND_RELEASE);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("jdks")
    void thatEndsOneConnection(Path jdk) {
        try (Child client = new ChildJvm(TruncatedLink.class).on(jdk).start()) {
            assertThat(client.awaitExit(Duration.ofMinutes(3)))
                    .as(client::output)
                    .isZero();
            assertThat(client.output()).contains("VIRTUAL, 4096 bytes left");
        }
    }
}
