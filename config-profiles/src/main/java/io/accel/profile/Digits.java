// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The decimal digits of numbers. A process that starts would pay some milliseconds for a regular expression instead. */
final class Digits {
    private Digits() {}

    /** Whether a text has one digit or more from an index on, and nothing else. */
    static boolean only(String text, int from) {
        return from < text.length() && end(text, from) == text.length();
    }

    /** The index of the first character from an index on that is no digit; the text's length if there is none. */
    static int end(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }
}
