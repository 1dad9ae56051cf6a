package io.accel.nio.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files on a memory file system that this process has mapped, of which each connection over shared memory has one. */
final class MappedRings {
    private static final java.nio.file.Path MAPS = java.nio.file.Path.of("/proc/self/maps");

    private MappedRings() {}

    static boolean areKnown() {
        return Files.isReadable(MAPS);
    }

    /** Their names, each of which is used once. */
    static Set<String> names() throws IOException {
        if (!areKnown()) {
            return Set.of();
        }
        try (Stream<String> lines = Files.lines(MAPS, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains("/ring-"))
                    .map(line -> line.substring(line.indexOf('/')))
                    .collect(Collectors.toSet());
        }
    }

    /** Whether there is one that was not there before. */
    static boolean isNew(Set<String> before) throws IOException {
        return !before.containsAll(names());
    }
}
