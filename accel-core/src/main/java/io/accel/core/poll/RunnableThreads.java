// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Privileged;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many threads of the machine are runnable, according to {@code /proc/loadavg}, compared with its processors. A
 * reading takes 2 us. Thread-safe.
 */
final class RunnableThreads {
    private static final int PROCESSORS = Privileged.get(() -> processors(Path.of("/sys/devices/system/cpu/online")));
    private static final RandomAccessFile LOAD = open();
    /** Guarded by itself. */
    private static final byte[] BYTES = new byte[96];

    private RunnableThreads() {}

    private static RandomAccessFile open() {
        try {
            return Privileged.call(() -> new RandomAccessFile("/proc/loadavg", "r"));
        } catch (IOException | SecurityException e) {
            return null; // another system than Linux, or no right to ask: unknown
        }
    }

    /** How many more runnable threads than processors there are; 0 if unknown. */
    static int surplus() {
        if (LOAD == null || PROCESSORS == 0) {
            return 0;
        }
        synchronized (BYTES) {
            try {
                LOAD.seek(0);
                int runnable = runnable(BYTES, LOAD.read(BYTES));
                return runnable < 0 ? 0 : runnable - PROCESSORS;
            } catch (IOException e) {
                return 0;
            }
        }
    }

    /** The number before the slash; -1 if there is none. */
    static int runnable(byte[] text, int length) {
        int slash = 0;
        while (slash < length && text[slash] != '/') {
            slash++;
        }
        int value = -1;
        if (slash < length) {
            int factor = 1;
            for (int i = slash - 1; i >= 0 && text[i] >= '0' && text[i] <= '9'; i--) {
                value = Math.max(value, 0) + (text[i] - '0') * factor;
                factor *= 10;
            }
        }
        return value;
    }

    /** The size of a list such as {@code 0-3,6}; 0 if it cannot be read. */
    static int processors(Path list) {
        int sum = 0;
        try {
            for (String range :
                    Files.readString(list, StandardCharsets.US_ASCII).strip().split(",", -1)) {
                String[] ends = range.split("-", -1);
                sum += Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
            }
            return sum;
        } catch (IOException | NumberFormatException | SecurityException e) {
            return 0;
        }
    }
}
