// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/** The jar that contains this command line. */
final class DropInJar {
    private DropInJar() {}

    /**
     * Returns the jar's absolute path.
     *
     * @throws IllegalStateException if the command line was not started from a jar
     */
    static Path path() {
        CodeSource source = DropInJar.class.getProtectionDomain().getCodeSource();
        try {
            Path path = Path.of(source.getLocation().toURI()).toAbsolutePath();
            if (Files.isRegularFile(path)) {
                return path;
            }
            throw new IllegalStateException("'accel run' adds its own jar to the command, but was started from " + path
                    + ". Start it as 'java -jar accel.jar run' or './accel run'");
        } catch (URISyntaxException e) {
            throw new IllegalStateException("not a file: " + source.getLocation(), e);
        }
    }
}
