// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory for programs that this JVM starts. It is removed with all that is in it when it is closed, or, once these programs have
 * ended, with this JVM. Used by one thread.
 */
public final class WorkingDirectory implements AutoCloseable {
    private final Path path;

    private WorkingDirectory(Path path) {
        this.path = path;
        Reaper.watch(path);
    }

    /** One where temporary files are. */
    static WorkingDirectory create(String prefix) throws IOException {
        return new WorkingDirectory(Files.createTempDirectory(prefix));
    }

    /** A directory in memory, if there is such a place. */
    public static WorkingDirectory createInMemory(String prefix) throws IOException {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory)
                ? new WorkingDirectory(Files.createTempDirectory(memory, prefix))
                : create(prefix);
    }

    /** The path of the directory. */
    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        remove(path);
        Reaper.release(path);
    }

    static void remove(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(directory)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }
}
