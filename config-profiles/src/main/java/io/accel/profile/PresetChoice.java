// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * The choice of a process that names a preset and changes nothing of it, as most do. It cannot have a mistake, and it tells whether anything is
 * accelerated, so that nobody has to read the {@link Profile} while the process starts: that takes more classes than all else that a young
 * program needs of Accel. Immutable.
 */
public final class PresetChoice implements Supplier<Profile> {
    private final String name;

    private PresetChoice(String name) {
        this.name = name;
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
        return new PresetChoice(name);
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
            if (property.startsWith(Profile.PREFIX) && !property.equals(Profile.PROPERTY)) {
                return null;
            }
        }
        return of(
                properties.getProperty(Profile.PROPERTY),
                environment.get(Profile.PROFILE_VARIABLE),
                environment.get(Profile.OPTIONS_VARIABLE));
    }

    /**
     * The choice of these.
     *
     * @param property the value of the property that names the profile; null if it is not set
     * @param variable the value of the variable that names the profile; null if it is not set
     * @param options the value of the variable that sets keys; null if it is not set
     * @return as {@link #fromSystem}
     */
    static PresetChoice of(String property, String variable, String options) {
        if (options != null) {
            return null;
        }
        String chosen = property;
        if (chosen == null) {
            chosen = variable == null || variable.isBlank() ? Presets.DEFAULT : variable.strip();
        }
        return Presets.NAMES.contains(chosen) ? new PresetChoice(chosen) : null;
    }

    /** The preset's name. */
    public String name() {
        return name;
    }

    /** Whether anything is accelerated: not in profile {@code off}. */
    public boolean accelerates() {
        return !name.equals(Presets.OFF_NAME);
    }

    /**
     * Reads the preset.
     *
     * @return its profile
     */
    @Override
    public Profile get() {
        return Profile.load(name, Map.of());
    }

    @Override
    public String toString() {
        return "profile " + name;
    }
}
