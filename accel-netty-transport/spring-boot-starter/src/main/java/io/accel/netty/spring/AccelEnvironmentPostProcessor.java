// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import io.accel.profile.OptionLine;
import io.accel.profile.Profile;
import io.accel.profile.ProfileException;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;

/**
 * Hands the {@code accel.*} keys of a program's configuration to Accel, which reads system properties, and checks them. This
 * post-processor runs last of its kind, when the whole configuration is there, and before anything could open a connection.
 *
 * <p>The order of precedence is Spring Boot's: command-line arguments, system properties, the environment, files. The variable
 * {@code ACCEL_OPTIONS} ranks just below the variables of single keys.
 *
 * <p>Accel has one profile in a process, and the first connection settles it. The settings of a later application context in the same
 * process are checked and have no effect. Thread-safe.
 */
public final class AccelEnvironmentPostProcessor implements EnvironmentPostProcessor, Ordered {
    static final String PREFIX = "accel.";
    static final String ENABLED = PREFIX + "enabled";

    /** The system properties that this class has set, each with its earlier value, which may be null. Guarded by itself. */
    private static final Map<String, Change> CHANGES = new HashMap<>();

    /** Called by Spring Boot. */
    public AccelEnvironmentPostProcessor() {}

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    /**
     * Sets and checks Accel's settings, unless {@code accel.enabled=false}.
     *
     * @throws InvalidSettingsException if they have a mistake; the system properties are then as they were
     */
    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        synchronized (CHANGES) {
            undo(); // the settings of another context in this process are no -D of this one's user
            if (!isEnabled(environment)) {
                return;
            }
            keepSwitchToSpring(environment);
            addOptionsVariable(environment);
            EnvironmentSettings settings = EnvironmentSettings.of(environment);
            settings.values().forEach((key, value) -> set(PREFIX + key, value));
            try {
                Profile.fromSystem();
            } catch (ProfileException e) {
                undo();
                throw new InvalidSettingsException(settings.located(e.problems()), e);
            }
        }
    }

    static boolean isEnabled(ConfigurableEnvironment environment) {
        return environment.getProperty(ENABLED, Boolean.class, true);
    }

    /** Hides the switch from Accel, which would take {@code -Daccel.enabled=true} for a mistake: only this starter knows it. */
    private static void keepSwitchToSpring(ConfigurableEnvironment environment) {
        if (System.getProperty(ENABLED) != null) {
            set(ENABLED, null);
            environment.getPropertySources().addFirst(new MapPropertySource(ENABLED, Map.of(ENABLED, "true")));
        }
    }

    private static void addOptionsVariable(ConfigurableEnvironment environment) {
        Map<String, Object> settings = new HashMap<>();
        try {
            Object line = environment.getSystemEnvironment().get(Profile.OPTIONS_VARIABLE);
            OptionLine.parse(line == null ? null : line.toString())
                    .forEach((key, value) -> settings.put(PREFIX + key, value));
        } catch (IllegalArgumentException e) {
            return; // the profile reports this along with all other mistakes
        }
        MutablePropertySources sources = environment.getPropertySources();
        if (!settings.isEmpty() && sources.contains(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
            sources.addAfter(
                    StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                    new MapPropertySource(Profile.OPTIONS_VARIABLE, settings));
        }
    }

    private static void set(String property, String value) {
        String before = value == null ? System.clearProperty(property) : System.setProperty(property, value);
        CHANGES.put(property, new Change(before, value));
    }

    private static void undo() {
        CHANGES.forEach((property, change) -> {
            if (change.isStillThere(System.getProperty(property))) {
                if (change.before() == null) {
                    System.clearProperty(property);
                } else {
                    System.setProperty(property, change.before());
                }
            }
        });
        CHANGES.clear();
    }

    private record Change(String before, String after) {
        boolean isStillThere(String now) {
            return after == null ? now == null : after.equals(now);
        }
    }
}
