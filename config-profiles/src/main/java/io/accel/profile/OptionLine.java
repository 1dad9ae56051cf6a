// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings in one line, such as {@code profile=latency,poll.spin=50us}: the form of the agent's arguments, and of the
 * variable {@code ACCEL_OPTIONS}. A comma begins another setting only if a key and {@code =} follow it, so a value
 * may be a list. Stateless.
 */
public final class OptionLine {
    /** The syntax; compiled only where there is a line. */
    private static final class Syntax {
        static final Pattern SETTING_AHEAD = Pattern.compile(",(?=\\s*[A-Za-z][A-Za-z0-9.-]*\\s*=)");
        static final Pattern SETTING = Pattern.compile("\\s*([A-Za-z][A-Za-z0-9.-]*)\\s*=(.*)", Pattern.DOTALL);
    }

    private OptionLine() {}

    /**
     * Returns the settings of a line.
     *
     * @param line the line; it may be null or blank for no settings
     * @return values by key, in their order; the profile checks the keys and values
     * @throws IllegalArgumentException if the line does not begin with a setting, or a key appears twice
     */
    public static Map<String, String> parse(String line) {
        Map<String, String> settings = new LinkedHashMap<>();
        if (line == null || line.isBlank()) {
            return settings;
        }
        for (String setting : Syntax.SETTING_AHEAD.split(line, -1)) {
            Matcher matcher = Syntax.SETTING.matcher(setting);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("'" + setting
                        + "' is no setting; expected KEY=VALUE,... such as profile=latency,poll.spin=50us");
            }
            if (settings.putIfAbsent(matcher.group(1), matcher.group(2).strip()) != null) {
                throw new IllegalArgumentException("'" + matcher.group(1) + "' is there twice in '" + line + "'");
            }
        }
        return settings;
    }
}
