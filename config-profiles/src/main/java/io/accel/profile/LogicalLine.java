// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

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
        for (int from = 0; from < file.length(); ) {
            int end = endOfLine(file, from);
            String line = file.substring(from, end);
            from = file.startsWith("\r\n", end) ? end + 2 : end + 1;
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

    private static int endOfLine(String file, int from) {
        int end = from;
        while (end < file.length() && file.charAt(end) != '\n' && file.charAt(end) != '\r') {
            end++;
        }
        return end;
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
        return Optional.ofNullable(text.indexOf('\\') < 0 ? plainEntry() : Escaped.entry(text));
    }

    /** The entry of a line without escapes, which {@link Properties} need not be loaded for. */
    private Map.Entry<String, String> plainEntry() {
        int key = endOfSpace(0);
        int end = key;
        while (end < text.length()
                && text.charAt(end) != '='
                && text.charAt(end) != ':'
                && !isSpace(text.charAt(end))) {
            end++;
        }
        int value = endOfSpace(end);
        if (text.startsWith("=", value) || text.startsWith(":", value)) {
            value = endOfSpace(value + 1);
        }
        return Map.entry(text.substring(key, end), text.substring(value).strip());
    }

    private int endOfSpace(int from) {
        int end = from;
        while (end < text.length() && isSpace(text.charAt(end))) {
            end++;
        }
        return end;
    }

    /** Lines with escapes, or of several natural lines. A class of its own, since most do without what it needs. */
    private static final class Escaped {
        private Escaped() {}

        /** Null if the line sets nothing. */
        static Map.Entry<String, String> entry(String text) throws BadValueException {
            Properties properties = new Properties();
            try {
                properties.load(new StringReader(text));
            } catch (IllegalArgumentException e) {
                throw new BadValueException("malformed Unicode escape: a \\u is followed by four hexadecimal digits");
            } catch (IOException e) {
                throw new IllegalStateException("a string cannot fail to be read", e);
            }
            for (String name : properties.stringPropertyNames()) {
                return Map.entry(name, properties.getProperty(name).strip());
            }
            return null;
        }
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
