// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The place of the drop-in jar, for the commands that accelerate. */
public final class AccelJarOption {
    private static final String IN_REPOSITORY = "accel-nio-provider/target/accel.jar";

    @Option(
            names = "--accel-jar",
            paramLabel = "JAR",
            description = "Accel's drop-in jar (default: the one that the build of this repository made).")
    private Path jar;

    /** The jar, which need not exist. */
    public Path resolve() {
        if (jar != null) {
            return jar.toAbsolutePath();
        }
        for (Path above = JvmCommand.locationOf(AccelJarOption.class); above != null; above = above.getParent()) {
            Path candidate = above.resolve(IN_REPOSITORY);
            if (Files.isRegularFile(candidate)) {
                return candidate;
            }
        }
        return Path.of(IN_REPOSITORY).toAbsolutePath();
    }
}
