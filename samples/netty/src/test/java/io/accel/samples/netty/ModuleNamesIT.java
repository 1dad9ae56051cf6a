// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.socket.Accelerator;
import io.accel.metrics.AccelMetrics;
import io.accel.netty.AccelIoHandler;
import io.accel.profile.Profile;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The jars have names that programs of modules can rely on, and no package in two of them. */
class ModuleNamesIT {
    private static final Set<String> NAMES =
            Set.of("io.accel.netty", "io.accel.core", "io.accel.metrics", "io.accel.profile");

    private static Path jarOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void areAccelsPackages() throws URISyntaxException {
        ModuleFinder jars = ModuleFinder.of(
                jarOf(AccelIoHandler.class), jarOf(Accelerator.class), jarOf(AccelMetrics.class), jarOf(Profile.class));
        assertThat(jars.findAll())
                .extracting(module -> module.descriptor().name())
                .containsExactlyInAnyOrderElementsOf(NAMES);
        assertThat(jars.findAll())
                .flatExtracting(module -> module.descriptor().packages())
                .doesNotHaveDuplicates();
    }
}
