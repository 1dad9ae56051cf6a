// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.nio.file.Path;

/**
 * The Unix-domain sockets that a rule matches, by their paths: {@code unix:/run/app.sock}, {@code unix:/run/*.sock}, {@code unix:*}. In a
 * pattern {@code *} is any part of a name, {@code **} any part of a path, {@code ?} any character of a name; a pattern of {@code *} alone
 * is every path. Symbolic links are not followed: that would have to look at the file system, where tomorrow's answer could differ.
 *
 * @param pattern the pattern, without its prefix
 */
record PathPattern(String pattern) {
    private static final String PREFIX = "unix:";
    private static final String ANY = "*";
    private static final char SEPARATOR = '/';

    /** Whether a rule's address is such a pattern, right or wrong. */
    static boolean isOne(String text) {
        return text.startsWith(PREFIX);
    }

    static PathPattern parse(String text) throws BadValueException {
        String pattern = text.substring(PREFIX.length());
        if (!pattern.equals(ANY) && !pattern.startsWith("/") && !pattern.startsWith("**")) {
            throw new BadValueException(
                    "'" + text + "' names no path; allowed: an absolute path, in which * and ? stand for"
                            + " parts of a name and ** for any part of the path, or unix:* for every path");
        }
        return new PathPattern(pattern);
    }

    /**
     * Whether the pattern matches a path.
     *
     * @param path absolute, and without {@code .} and {@code ..}
     */
    boolean matches(Path path) {
        return pattern.equals(ANY) || matches(path.toString());
    }

    /** Follows all ways through the pattern at the same time, so no pattern takes longer than its length times the path's. */
    private boolean matches(String path) {
        boolean[] at = new boolean[pattern.length() + 1];
        at[0] = true;
        skipStars(at);
        for (int i = 0; i < path.length(); i++) {
            at = after(at, path.charAt(i));
        }
        return at[pattern.length()];
    }

    /** The places in the pattern that one more character leads to. */
    private boolean[] after(boolean[] at, char next) {
        boolean[] to = new boolean[at.length];
        for (int i = 0; i < pattern.length(); i++) {
            if (at[i]) {
                switch (pattern.charAt(i)) {
                    case '*' -> to[i] |= next != SEPARATOR || isDouble(i);
                    case '?' -> to[i + 1] |= next != SEPARATOR;
                    default -> to[i + 1] |= next == pattern.charAt(i);
                }
            }
        }
        skipStars(to);
        return to;
    }

    /** Marks what follows each star, too, since a star may stand for nothing. */
    private void skipStars(boolean[] at) {
        for (int i = 0; i < pattern.length(); i++) {
            if (at[i] && pattern.charAt(i) == '*') {
                at[i + 1] = true;
            }
        }
    }

    /** Whether the star there is one of two neighbours. */
    private boolean isDouble(int star) {
        return isStar(star - 1) || isStar(star + 1);
    }

    private boolean isStar(int index) {
        return index >= 0 && index < pattern.length() && pattern.charAt(index) == '*';
    }
}
