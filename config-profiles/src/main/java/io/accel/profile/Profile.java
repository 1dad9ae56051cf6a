// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The settings in force: a value for every key, each with its origin, and the transport rules. Layers, each over the
 * ones before: the schema's defaults, a preset, the user's file, the variable {@code ACCEL_OPTIONS}, {@code
 * -Daccel.KEY=VALUE}. Immutable and thread-safe.
 */
public final class Profile {
    /** The variable of the environment that sets keys. */
    public static final String OPTIONS_VARIABLE = "ACCEL_OPTIONS";

    private static final String PROFILE_VARIABLE = "ACCEL_PROFILE";

    /** What the names of Accel's system properties begin with. */
    static final String PREFIX = "accel.";

    static final String UNIX_STREAMS = "unix.streams";

    /** The system property that says whether Unix-domain streams may move. */
    public static final String UNIX_STREAMS_PROPERTY = PREFIX + UNIX_STREAMS;

    private static final String CHOICE = "profile";

    /** The system property that names the profile. */
    static final String PROPERTY = PREFIX + CHOICE;

    private final String name;
    /** The settings of the keys that a layer above the schema sets. Nobody changes it any more. */
    private final Map<Key<?>, Setting<?>> settings;

    private final TransportRules rules;

    private Profile(String name, ProfileLoader loader) {
        this.name = name;
        this.settings = loader.settings();
        this.rules = TransportRules.of(loader.rules());
    }

    /**
     * Loads the profile that the system properties and the environment choose. The property {@code accel.profile},
     * else the variable {@code ACCEL_PROFILE}, is a preset's name or a path ({@code balanced} if neither is set).
     * Over it lie the settings of the variable {@code ACCEL_OPTIONS} ({@link OptionLine}), and over those every other
     * {@code accel.KEY}. Each call reads the files anew.
     *
     * @throws ProfileException if it has any mistake
     */
    public static Profile fromSystem() {
        return from(System.getProperties(), environment());
    }

    static Map<String, String> environment() {
        try {
            return System.getenv();
        } catch (SecurityException e) {
            return Map.of(); // not even Accel's code may ask
        }
    }

    /** The preset or the path that the environment's variable names; null for none. */
    static String namedBy(Map<String, String> environment) {
        String name = environment.get(PROFILE_VARIABLE);
        return name == null || name.isBlank() ? null : name.strip();
    }

    static Profile from(Properties properties, Map<String, String> environment) {
        Map<String, String> overrides = new HashMap<>();
        for (String property : properties.stringPropertyNames()) {
            if (property.startsWith(PREFIX)) {
                overrides.put(property.substring(PREFIX.length()), properties.getProperty(property));
            }
        }
        Map<String, String> variables;
        try {
            String line = environment.get(OPTIONS_VARIABLE);
            variables = line == null ? Map.of() : OptionLine.parse(line);
        } catch (IllegalArgumentException e) {
            Origin origin = new Origin(Origin.Kind.OVERRIDE, OPTIONS_VARIABLE, 0);
            throw new ProfileException(List.of(new Problem(origin, e.getMessage())));
        }
        String chosen = overrides.get(CHOICE);
        if (chosen != null) {
            return load(chosen, "-D" + PROPERTY + "=", variables, overrides);
        }
        chosen = namedBy(environment);
        if (chosen != null) {
            return load(chosen, PROFILE_VARIABLE + "=", variables, overrides);
        }
        chosen = variables.get(CHOICE);
        return chosen != null
                ? load(chosen, OPTIONS_VARIABLE + ": profile=", variables, overrides)
                : load(Presets.DEFAULT, "profile ", variables, overrides);
    }

    /**
     * Loads a preset or a file and lays overrides over it.
     *
     * @param nameOrPath a preset's name, else a file's path
     * @param overrides values by key, without the prefix {@code accel.}; names reserved for other uses are ignored
     * @throws ProfileException if it has any mistake; the message tells all of them
     */
    public static Profile load(String nameOrPath, Map<String, String> overrides) {
        return load(nameOrPath, "profile ", Map.of(), overrides);
    }

    private static Profile load(
            String nameOrPath, String asker, Map<String, String> variables, Map<String, String> overrides) {
        ProfileLoader loader = new ProfileLoader();
        loader.read(nameOrPath, new Origin(Origin.Kind.OVERRIDE, asker + nameOrPath, 0));
        loader.override(variables, OPTIONS_VARIABLE + ": ");
        loader.override(overrides, "-D" + PREFIX);
        loader.settle();
        if (!loader.problems().isEmpty()) {
            throw new ProfileException(loader.problems());
        }
        return new Profile(nameOrPath, loader);
    }

    /** The name of the preset or the path that was asked for. */
    public String name() {
        return name;
    }

    /** The value of {@code key}; never null. */
    public <T> T get(Key<T> key) {
        return setting(key).value();
    }

    /** The value of {@code key} and its origin. */
    public <T> Setting<T> setting(Key<T> key) {
        return ProfileLoader.setting(settings, key);
    }

    /** Every key's setting, in the order of the reference page. */
    public List<Setting<?>> settings() {
        List<Setting<?>> all = new ArrayList<>();
        for (Key<?> key : Keys.all()) {
            all.add(setting(key));
        }
        return all;
    }

    /** The transport rules, without regard to {@link Keys#MODE}. */
    public TransportRules rules() {
        return rules;
    }

    /**
     * Returns the fabrics to try for a connection with this decision, in order: those that {@link Keys#MODE} and
     * {@link Keys#FABRIC_ORDER} leave of it. Empty means the kernel at once.
     */
    public List<FabricName> fabrics(Decision decision) {
        return get(Keys.MODE) == Mode.OFF ? List.of() : decision.action().limit(get(Keys.FABRIC_ORDER));
    }

    @Override
    public String toString() {
        return "profile " + name;
    }
}
