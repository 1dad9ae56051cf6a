// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The meaning of a terminal's key for a screen that scrolls. The letters are those of {@code less} and {@code top}. */
enum Key {
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    HOME,
    END,
    SORT,
    DELTAS,
    QUIT;

    private static final char ESCAPE = '\033';

    private static final Map<String, Key> LETTERS = Map.of(
            "k", UP, "j", DOWN, "b", PAGE_UP, " ", PAGE_DOWN, "g", HOME, "G", END, "s", SORT, "d", DELTAS, "q", QUIT);

    /** The keys by the sequence after {@code ESC [} or {@code ESC O}, which terminals send in their two modes. */
    private static final Map<String, Key> SEQUENCES =
            Map.of("A", UP, "B", DOWN, "5~", PAGE_UP, "6~", PAGE_DOWN, "H", HOME, "1~", HOME, "F", END, "4~", END);

    /** Returns the known keys among the bytes that a terminal has sent. */
    static List<Key> in(byte[] sent, int length) {
        String text = new String(sent, 0, length, StandardCharsets.ISO_8859_1);
        List<Key> keys = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = text.charAt(at) == ESCAPE ? endOfSequence(text, at) : at + 1;
            Key key = text.charAt(at) == ESCAPE
                    ? SEQUENCES.get(text.substring(Math.min(at + 2, end), end))
                    : LETTERS.get(text.substring(at, end));
            if (key != null) {
                keys.add(key);
            }
            at = end;
        }
        return keys;
    }

    /** Returns the end of a sequence: ESC, a bracket or an O, digits and the like, and a letter or a tilde. */
    private static int endOfSequence(String text, int escape) {
        int at = escape + 1;
        if (at == text.length() || (text.charAt(at) != '[' && text.charAt(at) != 'O')) {
            return at;
        }
        at++;
        while (at < text.length() && text.charAt(at) < '@') {
            at++;
        }
        return Math.min(at + 1, text.length());
    }
}
