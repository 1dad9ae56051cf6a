// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The options that turn Accel on in a JVM, as {@code JDK_JAVA_OPTIONS} wants them.
 *
 * <p>They use the agent rather than the class path, which an environment variable can set but not extend.
 */
final class JavaOptions {
    /** The environment variable that every java launcher since JDK 9 reads. */
    static final String VARIABLE = "JDK_JAVA_OPTIONS";

    private final List<String> options = new ArrayList<>();

    /**
     * Turns Accel on.
     *
     * @param jar the drop-in jar's absolute path
     * @throws IllegalArgumentException if such a path cannot be passed to the JVM
     */
    JavaOptions(Path jar) {
        if (jar.toString().contains("=")) {
            throw new IllegalArgumentException("the JVM takes the text after '=' in " + jar
                    + " for the agent's arguments: put Accel into a directory whose name has no '='");
        }
        options.add("-javaagent:" + jar);
        options.add("--enable-native-access=ALL-UNNAMED");
    }

    /** Chooses a profile, by a preset's name or a file's absolute path. */
    void profile(String profile) {
        options.add("-Daccel.profile=" + profile);
    }

    /**
     * Returns the variable's new value. The old value comes last, so that it wins.
     *
     * @param before the old value, or null
     */
    String addedTo(String before) {
        StringBuilder value = new StringBuilder();
        for (String option : options) {
            value.append(quote(option)).append(' ');
        }
        return value.append(before == null ? "" : before).toString().strip();
    }

    /** Quotes an option for the launcher, which splits at white space, removes pairs of either quote, and knows no escape. */
    static String quote(String option) {
        if (option.chars().noneMatch(c -> Character.isWhitespace(c) || c == '"' || c == '\'')) {
            return option;
        }
        StringBuilder quoted = new StringBuilder();
        int start = 0;
        while (start < option.length()) {
            char quote = option.charAt(start) == '"' ? '\'' : '"';
            int end = option.indexOf(quote, start);
            end = end < 0 ? option.length() : end;
            quoted.append(quote).append(option, start, end).append(quote);
            start = end;
        }
        return quoted.toString();
    }
}
