// SPDX-License-Identifier: Apache-2.0
package io.accel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.NativeImageMetadata;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The metadata for GraalVM's {@code native-image} names what the module reaches by reflection, and all of that exists. */
class NativeImageTest {
    @Test
    void namesWhatTheClassesReachByName() throws Exception {
        assertThat(NativeImageMetadata.faults(
                        Path.of("target", "classes"),
                        "accel-core",
                        Set.of("io.accel.core.observe.metrics.MetricsExport"),
                        Set.of(
                                "java.lang.Thread.isVirtual",
                                "java.net.Socket.created",
                                "java.net.Socket.state",
                                "jdk.internal.access.JavaNioAccess.acquireSession",
                                "jdk.internal.access.JavaNioAccess.isThreadConfined",
                                "jdk.internal.access.JavaNioAccess.releaseSession")))
                .isEmpty();
    }
}
