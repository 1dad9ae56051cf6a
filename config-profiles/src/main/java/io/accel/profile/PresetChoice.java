// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * The choice of a process that names a preset and changes nothing of it, as most do; only {@code unix.streams}, which the agent sets, may be set
 * beside it. It cannot have a mistake, and it tells whether anything is accelerated, so that nobody has to read the {@link Profile} while the
 * process starts: that takes more classes than all else that a young program needs of Accel. Immutable.
 */
public final class PresetChoice implements Supplier<Profile> {
    private final String name;
    /** The text of {@code unix.streams}; null if it is not set. */
    private final String unixStreams;

    private PresetChoice(String name, String unixStreams) {
        this.name = name;
        this.unixStreams = unixStreams;
    }

    /**
     * The choice of a preset.
     *
     * @param name its name
     * @return the choice
     * @throws IllegalArgumentException if there is no such preset
     */
    public static PresetChoice of(String name) {
        if (!Presets.NAMES.contains(name)) {
            throw new IllegalArgumentException("no preset '" + name + "'");
        }
        return new PresetChoice(name, null);
    }

    /**
     * The choice that the system properties and the environment make, by the rules of {@link Profile#fromSystem}.
     *
     * @return the choice; null if there is more to read than a preset, or what is named is none
     */
    public static PresetChoice fromSystem() {
        return of(System.getProperties(), Profile.environment());
    }

    static PresetChoice of(Properties properties, Map<String, String> environment) {
        for (String property : properties.stringPropertyNames()) {
            if (property.startsWith(Profile.PREFIX)
                    && !property.equals(Profile.PROPERTY)
                    && !property.equals(Profile.UNIX_STREAMS_PROPERTY)) {
                return null;
            }
        }
        String streams = properties.getProperty(Profile.UNIX_STREAMS_PROPERTY);
        if (environment.get(Profile.OPTIONS_VARIABLE) != null || !isUnsetOrBoolean(streams)) {
            return null;
        }
        String chosen = properties.getProperty(Profile.PROPERTY);
        if (chosen == null) {
            String variable = Profile.namedBy(environment);
            chosen = variable == null ? Presets.DEFAULT : variable;
        }
        return Presets.NAMES.contains(chosen) ? new PresetChoice(chosen, streams) : null;
    }

    private static boolean isUnsetOrBoolean(String text) {
        return text == null || text.equals("true") || text.equals("false");
    }

    /** The preset's name. */
    public String name() {
        return name;
    }

    /** Whether anything is accelerated: not in profile {@code off}. */
    public boolean accelerates() {
        return !name.equals(Presets.OFF_NAME);
    }

    /** Whether it says whether Unix-domain streams may move. */
    public boolean decidesUnixStreams() {
        return unixStreams != null;
    }

    /**
     * Reads the preset.
     *
     * @return its profile
     */
    @Override
    public Profile get() {
        return Profile.load(name, unixStreams == null ? Map.of() : Map.of(Profile.UNIX_STREAMS, unixStreams));
    }

    @Override
    public String toString() {
        return "profile " + name;
    }
}
