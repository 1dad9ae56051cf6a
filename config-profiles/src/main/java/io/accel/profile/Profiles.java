// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.nio.file.Path;
import java.util.List;

/** The presets that come with Accel, and the check of a user's own file. Thread-safe. */
public final class Profiles {
    private Profiles() {}

    /** The presets' names, from the fastest answer to none at all. */
    public static List<String> names() {
        return Presets.NAMES;
    }

    /** The name of the preset in force where none is chosen. */
    public static String defaultName() {
        return Presets.DEFAULT;
    }

    /**
     * Describes the purpose of a preset, in one line.
     *
     * @throws IllegalArgumentException if there is no such preset
     */
    public static String description(String preset) {
        if (!Presets.NAMES.contains(preset)) {
            throw new IllegalArgumentException("no preset '" + preset + "'" + NearestName.hint(preset, Presets.NAMES));
        }
        return Presets.description(preset);
    }

    /** Lists all mistakes in a file and in the files that it includes; empty if it can be used. */
    public static List<Problem> check(Path file) {
        ProfileLoader loader = new ProfileLoader();
        loader.readFile(file);
        return loader.problems();
    }
}
