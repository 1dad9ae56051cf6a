// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import io.accel.profile.Key;
import io.accel.profile.Keys;
import io.accel.profile.Origin;
import io.accel.profile.Problem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Accel's settings in an environment, in the form of a profile: keys without the prefix, lists separated by commas, the names as the
 * schema spells them. A name that the schema does not know stays as it was written, so that the profile reports it. Immutable.
 */
final class EnvironmentSettings {
    private static final String PREFIX = AccelEnvironmentPostProcessor.PREFIX;
    private static final String PROFILE = "profile";

    /** The valid names that are not keys of the schema. */
    private static final List<String> OTHERS = List.of(PROFILE, "on-error");

    /**
     * The sources that are not listed: Accel reads the first itself, and the second spells names differently, so known keys are looked
     * up in it.
     */
    private static final Set<String> NOT_LISTED = Set.of(
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);

    /** The name that Spring Boot makes of YAML's {@code rule: 1:}, whose key is a number. */
    private static final Pattern RULE = Pattern.compile("rule\\[(\\d+)]");

    private static final Pattern ELEMENT = Pattern.compile("\\[\\d+]$");

    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, String> origins = new HashMap<>();

    private EnvironmentSettings() {}

    static EnvironmentSettings of(ConfigurableEnvironment environment) {
        Map<String, Key<?>> keys = new LinkedHashMap<>();
        for (Key<?> key : Keys.all()) {
            keys.put(key.name(), key);
        }
        Map<String, String> spellings = new LinkedHashMap<>();
        keys.keySet().forEach(name -> spellings.put(uniform(name), name));
        OTHERS.forEach(name -> spellings.put(uniform(name), name));

        EnvironmentSettings settings = new EnvironmentSettings();
        for (String name : spellings.values()) {
            String value = valueOf(environment, name);
            if (value != null) {
                settings.values.put(name, isSwitchedOff(value, keys.get(name)) ? "off" : value);
                settings.origins.put(name, originOf(environment, PREFIX + name, null));
            }
        }
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> listed && !NOT_LISTED.contains(source.getName())) {
                for (String property : listed.getPropertyNames()) {
                    settings.addIfOther(environment, listed, property, spellings);
                }
            }
        }
        return settings;
    }

    /** Adds a transport rule, or a misspelt name. */
    private void addIfOther(
            ConfigurableEnvironment environment,
            EnumerablePropertySource<?> source,
            String property,
            Map<String, String> spellings) {
        if (!property.startsWith(PREFIX) || property.equals(AccelEnvironmentPostProcessor.ENABLED)) {
            return;
        }
        String bare = property.substring(PREFIX.length());
        Matcher rule = RULE.matcher(bare);
        String name =
                rule.matches() ? "rule." + rule.group(1) : ELEMENT.matcher(bare).replaceFirst("");
        String known = spellings.get(uniform(name));
        if (known != null) {
            // Spring Boot may know the place under the name as written, though not under the key's name.
            origins.putIfAbsent(known, originOf(environment, property, source));
        } else if (!values.containsKey(name)) {
            values.put(name, environment.getProperty(property, ""));
            origins.put(name, originOf(environment, property, source));
        }
    }

    private static String valueOf(ConfigurableEnvironment environment, String name) {
        String value = environment.getProperty(PREFIX + name);
        return value != null
                ? value
                : Binder.get(environment)
                        .bind(PREFIX + name, Bindable.listOf(String.class))
                        .map(list -> String.join(",", list))
                        .orElse(null);
    }

    /** Whether this is the word {@code off}, which YAML takes for false. */
    private static boolean isSwitchedOff(String value, Key<?> key) {
        return value.equals("false") && (key == null || key.typeName().equals("word"));
    }

    /** Makes Spring Boot's spellings of a key, {@code probe-timeout} and {@code probeTimeout}, the same. */
    private static String uniform(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }

    private static String originOf(ConfigurableEnvironment environment, String property, PropertySource<?> source) {
        if (source == null) {
            for (PropertySource<?> candidate : environment.getPropertySources()) {
                Object origin = OriginLookup.getOrigin(candidate, property);
                if (origin != null) {
                    return origin.toString();
                }
            }
            return null;
        }
        Object origin = OriginLookup.getOrigin(source, property);
        return origin != null ? origin.toString() : property + " in " + source.getName();
    }

    /** The values by key. */
    Map<String, String> values() {
        return values;
    }

    /** Returns a line for each problem, which names its place in the program's configuration instead of the system property. */
    List<String> located(List<Problem> problems) {
        List<String> lines = new ArrayList<>();
        for (Problem problem : problems) {
            String origin = problem.origin().kind() == Origin.Kind.OVERRIDE ? originOf(problem.origin()) : null;
            lines.add(origin == null ? problem.toString() : origin + ": " + problem.message());
        }
        Collections.sort(lines);
        return lines;
    }

    private String originOf(Origin origin) {
        String option = "-D" + PREFIX;
        if (!origin.source().startsWith(option)) {
            return null;
        }
        String name = origin.source().substring(option.length());
        return origins.get(name.startsWith(PROFILE + "=") ? PROFILE : name);
    }
}
