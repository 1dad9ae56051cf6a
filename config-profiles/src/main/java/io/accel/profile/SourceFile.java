// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A user's file, as a {@link Source}. Stateless. A class of its own: a process with a preset does without what this needs. */
final class SourceFile {
    private SourceFile() {}

    /** As {@link Source#find}, for what is no preset. */
    static Source find(String nameOrPath, Source from) throws BadValueException {
        if (nameOrPath.isEmpty()) {
            throw new BadValueException("no name (presets: " + String.join(", ", Presets.NAMES) + ")");
        }
        try {
            Path path = Path.of(nameOrPath);
            if (from != null && from.kind() == Origin.Kind.FILE) {
                path = Path.of(from.label()).resolveSibling(path);
            }
            if (!Files.exists(path) && looksLikeName(nameOrPath)) {
                throw new BadValueException("no such preset, and no file '" + path + "'"
                        + NearestName.hint(nameOrPath, Presets.NAMES) + " (presets: "
                        + String.join(", ", Presets.NAMES) + ")");
            }
            return of(path);
        } catch (InvalidPathException e) {
            throw new BadValueException("neither a preset nor a path: " + e.getReason());
        }
    }

    static Source of(Path path) throws BadValueException {
        try {
            if (Files.isDirectory(path)) {
                throw new BadValueException("'" + path + "' is a directory, not a file");
            }
            String text = Files.readString(path);
            // Some editors begin a UTF-8 file with a byte order mark, which would become part of the first key.
            return new Source(
                    Origin.Kind.FILE,
                    path.toString(),
                    path.toRealPath(),
                    text.startsWith("\uFEFF") ? text.substring(1) : text);
        } catch (NoSuchFileException e) {
            throw new BadValueException("no file '" + path + "'");
        } catch (CharacterCodingException e) {
            throw new BadValueException("the file '" + path + "' is not UTF-8 text");
        } catch (IOException e) {
            throw new BadValueException("cannot read the file '" + path + "': " + e);
        }
    }

    private static boolean looksLikeName(String nameOrPath) {
        return nameOrPath.indexOf('/') < 0 && !nameOrPath.endsWith(".properties");
    }
}
