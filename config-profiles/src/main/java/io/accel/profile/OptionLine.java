// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Settings in one line, such as {@code profile=latency,poll.spin=50us}: the form of the agent's arguments, and of the
 * variable {@code ACCEL_OPTIONS}. A comma begins another setting only if a key and {@code =} follow it, so a value
 * may be a list. Stateless.
 */
public final class OptionLine {
    private OptionLine() {}

    /**
     * Returns the settings of a line.
     *
     * @param line the line; it may be null or blank for no settings
     * @return values by key, in their order; the profile checks the keys and values
     * @throws IllegalArgumentException if the line does not begin with a setting, or a key appears twice
     */
    public static Map<String, String> parse(String line) {
        if (line == null || line.isBlank()) {
            return Map.of();
        }
        Map<String, String> settings = new LinkedHashMap<>();
        for (int from = 0; from <= line.length(); ) {
            int end = line.indexOf(',', from);
            while (end >= 0 && endOfName(line, end + 1) < 0) {
                end = line.indexOf(',', end + 1); // of a list
            }
            String setting = end < 0 ? line.substring(from) : line.substring(from, end);
            from = end < 0 ? line.length() + 1 : end + 1;
            int name = endOfName(setting, 0);
            if (name < 0) {
                throw new IllegalArgumentException("'" + setting
                        + "' is no setting; expected KEY=VALUE,... such as profile=latency,poll.spin=50us");
            }
            String key = setting.substring(endOfSpace(setting, 0), name);
            String value = setting.substring(setting.indexOf('=', name) + 1).strip();
            if (settings.putIfAbsent(key, value) != null) {
                throw new IllegalArgumentException("'" + key + "' is there twice in '" + line + "'");
            }
        }
        return settings;
    }

    /**
     * The end of a key that begins at an index, perhaps behind space, with {@code =} behind it, perhaps behind space; negative if there is
     * none. A process that starts would pay some milliseconds for a regular expression instead.
     */
    private static int endOfName(String text, int from) {
        int begin = endOfSpace(text, from);
        int end = begin;
        while (end < text.length() && (isLetter(text.charAt(end)) || (end > begin && isInner(text.charAt(end))))) {
            end++;
        }
        return end > begin && text.startsWith("=", endOfSpace(text, end)) ? end : -1;
    }

    private static int endOfSpace(String text, int from) {
        int end = from;
        while (end < text.length() && " \t\n\u000B\f\r".indexOf(text.charAt(end)) >= 0) {
            end++;
        }
        return end;
    }

    private static boolean isLetter(char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    }

    private static boolean isInner(char c) {
        return (c >= '0' && c <= '9') || c == '.' || c == '-';
    }
}
