// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * A line of a properties file with its continuation lines, and the number of its first line. {@link Properties} reads
 * the syntax but gives no line numbers; so the file is cut into logical lines here, and each is given to it alone.
 *
 * @param number the number of its first line, from 1
 * @param text the natural lines, joined by newlines
 */
record LogicalLine(int number, String text) {
    /** Cuts a file into its logical lines; blank ones and comments are left out. */
    static List<LogicalLine> of(String file) {
        List<LogicalLine> lines = new ArrayList<>();
        StringBuilder pending = new StringBuilder();
        int start = 0;
        int number = 0;
        BufferedReader natural = new BufferedReader(new StringReader(file));
        for (String line = next(natural); line != null; line = next(natural)) {
            number++;
            if (pending.length() == 0) {
                if (isBlankOrComment(line)) {
                    continue;
                }
                start = number;
            } else {
                pending.append('\n');
            }
            pending.append(line);
            if (!isContinued(line)) {
                lines.add(new LogicalLine(start, pending.toString()));
                pending.setLength(0);
            }
        }
        if (pending.length() > 0) {
            lines.add(new LogicalLine(start, pending.toString()));
        }
        return lines;
    }

    private static String next(BufferedReader lines) {
        try {
            return lines.readLine();
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be read", e);
        }
    }

    /**
     * Returns the name and value that the line sets; nothing if it is a lone continuation that sets none.
     *
     * @throws BadValueException if the line has a malformed Unicode escape
     */
    Optional<Map.Entry<String, String>> entry() throws BadValueException {
        // Properties lets the following lines of a file decide whether such lines set the empty key to nothing.
        if (setsNothing()) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(text));
        } catch (IllegalArgumentException e) {
            throw new BadValueException("malformed Unicode escape: a \\u is followed by four hexadecimal digits");
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be read", e);
        }
        for (String name : properties.stringPropertyNames()) {
            return Optional.of(Map.entry(name, properties.getProperty(name).strip()));
        }
        return Optional.empty();
    }

    private boolean setsNothing() {
        for (String line : text.split("\n", -1)) {
            String stripped = line.stripLeading();
            if (!stripped.isEmpty() && !stripped.equals("\\")) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBlankOrComment(String line) {
        int i = 0;
        while (i < line.length() && isSpace(line.charAt(i))) {
            i++;
        }
        return i == line.length() || line.charAt(i) == '#' || line.charAt(i) == '!';
    }

    private static boolean isContinued(String line) {
        int i = line.length();
        while (i > 0 && line.charAt(i - 1) == '\\') {
            i--;
        }
        return (line.length() - i) % 2 == 1;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\f';
    }
}
