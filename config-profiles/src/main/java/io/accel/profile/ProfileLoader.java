// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lays one layer of settings over the other and collects their mistakes. It is for one thread, and for one use. A
 * process uses it while it starts, when nothing is compiled yet: so it uses loops, where streams and lambdas would
 * have to be loaded and linked first.
 */
final class ProfileLoader {
    private static final String INCLUDE = "include";
    private static final String RULE = "rule.";

    private final Map<Key<?>, Setting<?>> settings = new LinkedHashMap<>();
    /** Those by their numbers; null as long as there are none. */
    private Map<Integer, TransportRule> rules;

    private final List<Problem> problems = new ArrayList<>();

    /** The settings of the keys that a layer above the schema sets. */
    Map<Key<?>, Setting<?>> settings() {
        return settings;
    }

    Collection<TransportRule> rules() {
        return rules == null ? List.of() : rules.values();
    }

    List<Problem> problems() {
        return List.copyOf(problems);
    }

    /** Reads a preset or a file; {@code asker} is the origin of its name. */
    void read(String nameOrPath, Origin asker) {
        try {
            read(Source.find(nameOrPath, null));
        } catch (BadValueException e) {
            problem(asker, e.getMessage());
        }
    }

    void readFile(Path file) {
        try {
            read(SourceFile.of(file));
        } catch (BadValueException e) {
            problem(new Origin(Origin.Kind.FILE, file.toString(), 0), e.getMessage());
        }
    }

    /**
     * Lays {@code KEY=VALUE} settings of the command line, or of a variable, over everything read so far; {@code from}
     * names their source.
     */
    void override(Map<String, String> overrides, String from) {
        Map<String, String> sorted = overrides.size() < 2 ? overrides : new TreeMap<>(overrides);
        for (Map.Entry<String, String> entry : sorted.entrySet()) {
            String name = entry.getKey();
            Origin origin = new Origin(Origin.Kind.OVERRIDE, from + name, 0);
            if (name.equals(INCLUDE)) {
                problem(origin, "only a file can include; choose a profile with -Daccel.profile=NAME");
            } else if (!Keys.isReserved(name)) {
                set(name, entry.getValue().strip(), origin);
            }
        }
    }

    /** Adjusts values that depend on other keys. */
    void settle() {
        // With a low-water mark near the whole ring, a writer might never be told that it can write.
        int most = setting(Keys.RING_SIZE).value() / 2;
        Setting<Integer> lowWater = setting(Keys.WRITE_LOW_WATER);
        if (lowWater.value() > most) {
            settings.put(Keys.WRITE_LOW_WATER, new Setting<>(Keys.WRITE_LOW_WATER, most, lowWater.origin()));
        }
    }

    private <T> Setting<T> setting(Key<T> key) {
        return setting(settings, key);
    }

    /** Returns the setting of a key among those that layers have set, or the schema's. */
    @SuppressWarnings("unchecked") // A setting is stored under its own key only.
    static <T> Setting<T> setting(Map<Key<?>, Setting<?>> settings, Key<T> key) {
        Setting<?> set = settings.get(key);
        return set == null ? key.unset() : (Setting<T>) set;
    }

    void read(Source source) {
        read(source, List.of());
    }

    private void read(Source source, List<Source> includedBy) {
        Map<String, Integer> seen = new HashMap<>();
        for (LogicalLine line : LogicalLine.of(source.text())) {
            Origin origin = source.origin(line.number());
            try {
                Map.Entry<String, String> entry = line.entry().orElse(null);
                if (entry == null) {
                    continue;
                }
                Integer before = seen.put(entry.getKey(), line.number());
                if (before != null) {
                    problem(origin, "'" + entry.getKey() + "' is already set in line " + before);
                } else if (!entry.getKey().equals(INCLUDE)) {
                    set(entry.getKey(), entry.getValue(), origin);
                } else if (seen.size() > 1) {
                    problem(origin, "include has to come before every other key: what follows it overrides it");
                } else {
                    include(entry.getValue(), origin, source, includedBy);
                }
            } catch (BadValueException e) {
                problem(origin, e.getMessage());
            }
        }
    }

    private void include(String nameOrPath, Origin origin, Source source, List<Source> includedBy) {
        List<Source> chain = new ArrayList<>(includedBy);
        chain.add(source);
        try {
            Source included = Source.find(nameOrPath, source);
            StringBuilder way = new StringBuilder();
            boolean again = false;
            for (Source link : chain) {
                way.append(link.label()).append(" -> ");
                again |= link.identity().equals(included.identity());
            }
            if (again) {
                throw new BadValueException("includes itself: " + way + included.label());
            }
            read(included, chain);
        } catch (BadValueException e) {
            problem(origin, "include=" + nameOrPath + ": " + e.getMessage());
        }
    }

    private void set(String name, String text, Origin origin) {
        try {
            if (name.startsWith(RULE)) {
                int number = TransportRule.number(name.substring(RULE.length()));
                rules = rules == null ? new TreeMap<>() : rules;
                rules.put(number, TransportRule.parse(number, text, origin));
            } else {
                setKey(name, text, origin);
            }
        } catch (BadValueException e) {
            problem(origin, name + "=" + text + ": " + e.getMessage());
        }
    }

    private void setKey(String name, String text, Origin origin) {
        Key<?> key = Keys.find(name);
        if (key != null) {
            setValue(key, text, origin);
            return;
        }
        List<String> candidates = new ArrayList<>(Keys.names());
        candidates.add("rule.1");
        if (origin.kind() == Origin.Kind.OVERRIDE) {
            candidates.addAll(Keys.reserved());
        } else {
            candidates.add(INCLUDE);
        }
        // On the command line a key has a prefix, which is easily copied into a file.
        String bare = name.startsWith("accel.") ? name.substring("accel.".length()) : name;
        problem(origin, "unknown key '" + name + "'" + NearestName.hint(bare, candidates));
    }

    private <T> void setValue(Key<T> key, String text, Origin origin) {
        try {
            settings.put(key, new Setting<>(key, key.parse(text), origin));
        } catch (BadValueException e) {
            problem(origin, key + "=" + text + ": " + e.getMessage() + "; allowed: " + key.allowed());
        }
    }

    private void problem(Origin origin, String message) {
        problems.add(new Problem(origin, message));
    }
}
