// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A text of settings: a preset or a user's file.
 *
 * @param kind {@link Origin.Kind#PRESET} or {@link Origin.Kind#FILE}
 * @param label the preset's name, or the path as messages show it
 * @param identity equal for two ways to name the same text
 * @param text the whole text
 */
record Source(Origin.Kind kind, String label, Object identity, String text) {
    static Source preset(String name) {
        return new Source(Origin.Kind.PRESET, name, name, Presets.text(name));
    }

    /** Finds a preset of that name, else a file, whose path is relative to {@code from} if that is a file. */
    static Source find(String nameOrPath, Source from) throws BadValueException {
        if (Presets.NAMES.contains(nameOrPath)) {
            return preset(nameOrPath);
        }
        if (nameOrPath.isEmpty()) {
            throw new BadValueException("no name (presets: " + String.join(", ", Presets.NAMES) + ")");
        }
        try {
            Path path = Path.of(nameOrPath);
            if (from != null && from.kind == Origin.Kind.FILE) {
                path = Path.of(from.label).resolveSibling(path);
            }
            if (!Files.exists(path) && looksLikeName(nameOrPath)) {
                throw new BadValueException("no such preset, and no file '" + path + "'"
                        + NearestName.hint(nameOrPath, Presets.NAMES) + " (presets: "
                        + String.join(", ", Presets.NAMES) + ")");
            }
            return file(path);
        } catch (InvalidPathException e) {
            throw new BadValueException("neither a preset nor a path: " + e.getReason());
        }
    }

    static Source file(Path path) throws BadValueException {
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

    Origin origin(int line) {
        return new Origin(kind, label, line);
    }

    private static boolean looksLikeName(String nameOrPath) {
        return nameOrPath.indexOf('/') < 0 && !nameOrPath.endsWith(".properties");
    }
}
