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
 * What an environment says about Accel, in the words of a profile: keys without the prefix, lists parted by commas, the names as the
 * schema has them. A name that the schema does not know stays as it was written, for the profile to complain of. Immutable.
 */
final class EnvironmentSettings {
    private static final String PREFIX = AccelEnvironmentPostProcessor.PREFIX;
    private static final String PROFILE = "profile";

    /** Names of their own that are no keys of the schema. */
    private static final List<String> OTHERS = List.of(PROFILE, "on-error");

    /** Accel reads the first itself; the second has names of another form, which known keys are looked up by. */
    private static final Set<String> NOT_LISTED = Set.of(
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);

    /** A number as a key makes YAML's {@code rule: 1:} this. */
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

    /** Adds a transport rule, or what is misspelt. */
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
            // By the name as it is written the place can be told where Spring Boot does not tell it by the key's.
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

    /** YAML takes the word {@code off} for false. */
    private static boolean isSwitchedOff(String value, Key<?> key) {
        return value.equals("false") && (key == null || key.typeName().equals("word"));
    }

    /** Spring Boot's spellings of a key, {@code probe-timeout} and {@code probeTimeout}, are one. */
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

    /** Values by key. */
    Map<String, String> values() {
        return values;
    }

    /** A line for each problem, with the place where the program's configuration has it instead of the system property's name. */
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
