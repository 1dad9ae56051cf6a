package io.accel.profile;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The settings in force: a value for every key, each with where it came from, and the transport rules. Layers, each over
 * the ones before: the schema's defaults, a preset, the user's file, {@code -Daccel.KEY=VALUE}. Immutable and
 * thread-safe.
 */
public final class Profile {
    private static final String PREFIX = "accel.";
    private static final String CHOICE = "profile";

    private final String name;
    private final Map<Key<?>, Setting<?>> settings;
    private final TransportRules rules;

    private Profile(String name, ProfileLoader loader) {
        this.name = name;
        this.settings = new LinkedHashMap<>(loader.settings());
        this.rules = TransportRules.of(loader.rules());
    }

    /**
     * The profile that the system properties choose: {@code accel.profile}, a preset's name or a path ({@code balanced}
     * if it is not set), with every other {@code accel.KEY} over it. Reads files anew on each call.
     *
     * @throws ProfileException if anything in it is wrong
     */
    public static Profile fromSystem() {
        return from(System.getProperties());
    }

    static Profile from(Properties properties) {
        Map<String, String> overrides = new LinkedHashMap<>();
        for (String property : properties.stringPropertyNames()) {
            if (property.startsWith(PREFIX)) {
                overrides.put(property.substring(PREFIX.length()), properties.getProperty(property));
            }
        }
        return load(overrides.getOrDefault(CHOICE, Presets.DEFAULT), overrides);
    }

    /**
     * Loads a preset or a file and lays overrides over it.
     *
     * @param nameOrPath a preset's name, else a file's path
     * @param overrides values by key, without the prefix {@code accel.}; names reserved for others are ignored
     * @throws ProfileException if anything in it is wrong; the message tells all of it
     */
    public static Profile load(String nameOrPath, Map<String, String> overrides) {
        ProfileLoader loader = new ProfileLoader();
        loader.read(nameOrPath, Origin.override(CHOICE));
        loader.override(overrides);
        loader.checkTogether();
        if (!loader.problems().isEmpty()) {
            throw new ProfileException(loader.problems());
        }
        return new Profile(nameOrPath, loader);
    }

    /** The preset's name or the path that was asked for. */
    public String name() {
        return name;
    }

    /** The value of {@code key}; never null. */
    public <T> T get(Key<T> key) {
        return setting(key).value();
    }

    /** The value of {@code key} and where it came from. */
    @SuppressWarnings("unchecked") // A setting is stored under its own key only.
    public <T> Setting<T> setting(Key<T> key) {
        return (Setting<T>) settings.get(key);
    }

    /** Every key's setting, in the order of the reference page. */
    public List<Setting<?>> settings() {
        return List.copyOf(settings.values());
    }

    /** The transport rules, without regard to {@link Keys#MODE}. */
    public TransportRules rules() {
        return rules;
    }

    /**
     * The fabrics to try for a connection with this decision, in order: what {@link Keys#MODE} and {@link
     * Keys#FABRIC_ORDER} leave of it. Empty means the kernel at once.
     */
    public List<FabricName> fabrics(Decision decision) {
        return get(Keys.MODE) == Mode.OFF ? List.of() : decision.action().limit(get(Keys.FABRIC_ORDER));
    }

    @Override
    public String toString() {
        return "profile " + name;
    }
}
