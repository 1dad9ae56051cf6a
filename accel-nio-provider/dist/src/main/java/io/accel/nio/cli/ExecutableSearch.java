// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells whether a command can be started, as a POSIX shell would decide it, so that the error can be as exact. */
final class ExecutableSearch {
    /** The outcome of a search. */
    enum Outcome {
        FOUND,
        NOT_FOUND,
        NOT_EXECUTABLE
    }

    private final String searchPath;

    /**
     * Searches in the directories of a variable like {@code PATH}.
     *
     * @param searchPath the directories, with the system's separator; null is the same as empty
     */
    ExecutableSearch(String searchPath) {
        this.searchPath = searchPath == null ? "" : searchPath;
    }

    /** Looks at {@code command} itself if it contains a directory, else for that name in the search path. */
    Outcome find(String command) {
        if (command.contains(File.separator)) {
            return outcome(Path.of(command));
        }
        Outcome best = Outcome.NOT_FOUND;
        for (String directory : searchPath.split(File.pathSeparator, -1)) {
            Outcome here = outcome(Path.of(directory, command));
            if (here == Outcome.FOUND) {
                return here;
            }
            if (here == Outcome.NOT_EXECUTABLE && Files.isRegularFile(Path.of(directory, command))) {
                best = here;
            }
        }
        return best;
    }

    private static Outcome outcome(Path file) {
        if (!Files.exists(file)) {
            return Outcome.NOT_FOUND;
        }
        return Files.isRegularFile(file) && Files.isExecutable(file) ? Outcome.FOUND : Outcome.NOT_EXECUTABLE;
    }
}
