// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Reads the kernel's information files, below a root that tests may replace. */
final class SystemFiles {
    private final Path root;

    SystemFiles(Path root) {
        this.root = root;
    }

    Path at(String path) {
        return root.resolve(path);
    }

    boolean exists(String path) {
        return Files.exists(at(path));
    }

    /** Returns the names in a directory, sorted; none if there is no such directory. */
    List<String> names(String directory) throws IOException {
        if (!Files.isDirectory(at(directory))) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(at(directory))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    /** Returns the rest of the first line with the given beginning; empty if there is none. */
    String value(String file, String beginning) throws IOException {
        for (String line : Files.readAllLines(at(file))) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).strip();
            }
        }
        return "";
    }
}
