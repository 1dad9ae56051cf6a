// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Privileged;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The kernel's accounts in {@code /proc}: short files with words in a line. A reading opens the file, which takes some 10 us. Stateless. */
final class ProcFile {
    private static final int MOST_BYTES = 512;

    private ProcFile() {}

    /** A file's first bytes; empty if it cannot be read. */
    static String read(String file) {
        try {
            return Privileged.call(new Reading(file));
        } catch (IOException | SecurityException e) {
            return ""; // it is about a thread that has ended, or this is another system
        }
    }

    /** A class with a name: linking a lambda takes milliseconds while a process starts. */
    private record Reading(String file) implements Privileged.Action<String> {
        @Override
        public String run() throws IOException {
            // This is no FileChannel, which an interrupt would close.
            try (FileInputStream in = new FileInputStream(file)) {
                return new String(in.readNBytes(MOST_BYTES), StandardCharsets.ISO_8859_1);
            }
        }
    }

    /** The number at an index among words with a space between them; -1 if there is none. */
    static long number(String words, int index) {
        int from = 0;
        for (int i = 0; i < index; i++) {
            from = words.indexOf(' ', from) + 1;
            if (from == 0) {
                return -1;
            }
        }
        long value = -1;
        for (int i = from; i < words.length() && Character.isDigit(words.charAt(i)); i++) {
            value = Math.max(value, 0) * 10 + words.charAt(i) - '0';
        }
        return value;
    }
}
