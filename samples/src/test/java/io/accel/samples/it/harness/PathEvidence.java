package io.accel.samples.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which path connections took, by a witness that is not Accel: the kernel's own table of TCP connections.
 *
 * <p>A connection that works while the kernel has none established at its port is accelerated. On the JDK's provider
 * the same assertion demands that the kernel knows them all, which shows that the witness sees. Stateless.
 */
public final class PathEvidence {
    private PathEvidence() {}

    /** Asserts of {@code open} connections that two programs on the provider under test have at the port. */
    public static void assertAccelerated(int port, int open) {
        assertThat(ProcFs.kernelConnections(port))
                .as(
                        "kernel connections at port %d, where %d connections are open and accelerated=%s",
                        port, open, Launch.isAccel())
                .isEqualTo(Launch.isAccel() ? 0 : open);
    }

    /** Asserts that all {@code open} connections at the port go by the kernel, whatever the provider. */
    public static void assertKernel(int port, int open) {
        assertThat(ProcFs.kernelConnections(port))
                .as("kernel connections at port %d, where %d are open", port, open)
                .isEqualTo(open);
    }
}
