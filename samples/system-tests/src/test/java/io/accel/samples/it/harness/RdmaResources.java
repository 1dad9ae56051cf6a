// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The kernel's list of RDMA objects, as iproute2's {@code rdma resource} shows it. Stateless. */
public final class RdmaResources {
    private RdmaResources() {}

    /** How many reliable connections of this machine's devices can send and receive. */
    public static long connections() {
        try {
            Process process = new ProcessBuilder("rdma", "resource", "show", "qp")
                    .redirectErrorStream(true)
                    .start();
            try {
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return said.lines()
                        .filter(line -> line.contains(" type RC ") && line.contains(" state RTS "))
                        .count();
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot ask for the RDMA resources", e);
        }
    }
}
