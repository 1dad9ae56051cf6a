package io.accel.nio.agent;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What follows {@code =} in {@code -javaagent:accel.jar=profile=latency,poll.spin=50us}: settings by the names they have
 * in a profile, separated by commas. A value with a comma in it must be given as {@code -Daccel.KEY=VALUE} instead.
 */
final class AgentArguments {
    private AgentArguments() {}

    /**
     * The system properties that {@code arguments} stands for, in their order.
     *
     * @param arguments may be null or empty: no settings
     * @throws IllegalArgumentException if a setting is not {@code key=value}, or its key appears twice
     */
    static Map<String, String> parse(String arguments) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (arguments == null || arguments.isBlank()) {
            return properties;
        }
        for (String setting : arguments.split(",", -1)) {
            int equals = setting.indexOf('=');
            String key = equals < 0 ? "" : setting.substring(0, equals).strip();
            if (key.isEmpty()) {
                throw new IllegalArgumentException("Accel's agent was given '" + setting + "' in '" + arguments
                        + "': expected key=value, such as -javaagent:accel.jar=profile=latency,poll.spin=50us");
            }
            String value = setting.substring(equals + 1).strip();
            if (properties.putIfAbsent("accel." + key, value) != null) {
                throw new IllegalArgumentException(
                        "Accel's agent was given '" + key + "' twice in '" + arguments + "'");
            }
        }
        return properties;
    }
}
