// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/**
 * A copy of the children's code that every user may read: the build may be where only its own user may look. Immutable.
 */
public final class ReadableCopy {
    private final Path classes;
    private final Path jar;

    private ReadableCopy(Path classes, Path jar) {
        this.classes = classes;
        this.jar = jar;
    }

    /** Makes a copy in a directory of the test, which everybody may read from then on. */
    public static ReadableCopy in(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path classes = directory.resolve("classes");
        try (Stream<Path> files = Files.walk(Launch.testClasses())) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        classes.resolve(Launch.testClasses().relativize(file).toString()));
            }
        }
        Path jar = directory.resolve("accel.jar");
        if (Launch.isAccel()) {
            Files.copy(Launch.dropInJar(), jar, StandardCopyOption.REPLACE_EXISTING);
        }
        return new ReadableCopy(classes, jar);
    }

    /** Starts a program of the tests from here, as another user, which needs root. */
    public Launch launchedAs(String user, String group, Launch launch) {
        return launch.classPath(List.of(classes)).jar(jar).as(user, group);
    }

    /** The drop-in jar. */
    public Path jar() {
        return jar;
    }
}
