// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The size of the terminal that this process writes to.
 *
 * @param width the columns, {@link StatsScreen#UNLIMITED} if unknown
 * @param rows the rows, likewise
 */
record Terminal(int width, int rows) {
    /** Whether the standard output is a terminal. */
    static boolean isThere() {
        try {
            String output = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return output.startsWith("/dev/pts/") || output.startsWith("/dev/tty") || output.equals("/dev/console");
        } catch (IOException e) {
            return false; // then the samples follow one another
        }
    }

    /**
     * Whether this process's group is in the terminal's foreground: that group alone may read keys, and gets the signals of keys such
     * as Ctrl-C.
     */
    static boolean isOfThisGroup() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 7);
            String processGroup = fields[2];
            String foregroundGroup = fields[5];
            return processGroup.equals(foregroundGroup);
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the size from {@code COLUMNS} and {@code LINES} where they are set, else the present one. */
    static Terminal size() {
        String[] size = stty().split(" ", 2);
        return new Terminal(
                number(System.getenv("COLUMNS"), number(size.length == 2 ? size[1] : null, StatsScreen.UNLIMITED)),
                number(System.getenv("LINES"), number(size[0], StatsScreen.UNLIMITED)));
    }

    private static String stty() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(Redirect.DISCARD)
                    .start();
            return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            return ""; // without stty, or a terminal of this process's own, the size is unknown
        }
    }

    private static int number(String text, int otherwise) {
        return text != null && text.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(text) : otherwise;
    }
}
