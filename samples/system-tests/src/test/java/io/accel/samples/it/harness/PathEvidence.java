// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.ProcFs;
import java.time.Duration;

/**
 * The paths of connections, from a witness other than Accel: the kernel's own tables of TCP connections and of the files that
 * processes have mapped.
 *
 * <p>Every connection is one of the kernel's. A moment after an accelerated connection was made, it also has a file in shared
 * memory, which both ends have mapped. On the JDK's provider there is never such a file, which shows that the witness
 * works. Stateless.
 */
public final class PathEvidence {
    private static final Duration SOON = Duration.ofSeconds(20);

    private PathEvidence() {}

    /** Asserts that two programs on the provider under test have {@code open} or more connections at the port, on the expected path. */
    public static void assertAccelerated(int port, int open) {
        if (!Launch.isAccel()) {
            assertKernel(port, open);
            return;
        }
        await().atMost(SOON).untilAsserted(() -> assertThat(ProcFs.ringsAt(port))
                .as("rings of the process at port %d, where %d connections are open", port, open)
                .isGreaterThanOrEqualTo(open));
    }

    /** Asserts that all {@code open} connections at the port go through the kernel, whatever the provider. */
    public static void assertKernel(int port, int open) {
        await().atMost(SOON).untilAsserted(() -> assertThat(ProcFs.kernelConnections(port))
                .as("kernel connections at port %d, where %d are open", port, open)
                .isEqualTo(open));
        assertThat(ProcFs.ringsAt(port))
                .as("rings of the process at port %d, where %d connections are open", port, open)
                .isZero();
    }
}
