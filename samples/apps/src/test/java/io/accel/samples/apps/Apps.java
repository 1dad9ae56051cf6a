// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.perf.PerfCommand;
import io.accel.testing.AppsRun;
import java.nio.file.Path;
import picocli.CommandLine;

/** What the tests of this module's programs have in common. */
final class Apps {
    static final Path DROP_IN_JAR = Path.of("..", "..", "accel-nio-provider", "target", "accel.jar")
            .toAbsolutePath()
            .normalize();

    private Apps() {}

    /** Runs of {@code perf apps}, with results in the directory. */
    static AppsRun in(Path directory) {
        return new AppsRun(arguments -> new CommandLine(new PerfCommand()).execute(arguments), directory);
    }
}
