// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

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
        return SourceFile.find(nameOrPath, from);
    }

    Origin origin(int line) {
        return new Origin(kind, label, line);
    }
}
