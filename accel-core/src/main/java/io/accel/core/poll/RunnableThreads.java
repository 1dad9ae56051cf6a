// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Privileged;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * How many threads of the machine are runnable, according to {@code /proc/loadavg}, compared with its processors. A
 * reading takes 2 us, and nobody waits for another's. Unknown in a cpuset, of which that file says nothing. Thread-safe.
 */
final class RunnableThreads {
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final int PROCESSORS = processors(Path.of("/sys/devices/system/cpu/online"));
    private static final RandomAccessFile LOAD = open();
    /** Whether the number is about this process's processors: in a cpuset threads of all others are counted, too. */
    private static final boolean HAS_ALL = Privileged.get(new Allowed()) == PROCESSORS;

    /** Held by the thread that reads. Nobody waits for it. */
    private static final ReentrantLock READING = new ReentrantLock();
    /** Guarded by {@link #READING}. */
    private static final byte[] BYTES = new byte[96];
    /** The last answer. Written by the thread that reads; a thread that comes meanwhile takes it. */
    private static volatile int last;

    private RunnableThreads() {}

    // Classes with names: linking a lambda takes milliseconds while a process starts.

    private static final class Allowed implements Supplier<Integer> {
        @Override
        public Integer get() {
            return allowed(Path.of("/proc/self/status"));
        }
    }

    private static final class Opening implements Privileged.Action<RandomAccessFile> {
        @Override
        public RandomAccessFile run() throws IOException {
            return new RandomAccessFile("/proc/loadavg", "r");
        }
    }

    private static int count(String list) {
        int sum = 0;
        for (String range : list.strip().split(",", -1)) {
            String[] ends = range.split("-", -1);
            sum += Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
        }
        return sum;
    }

    private static RandomAccessFile open() {
        try {
            return Privileged.call(new Opening());
        } catch (IOException | SecurityException e) {
            return null; // another system than Linux, or no right to ask: unknown
        }
    }

    /** How many more runnable threads than processors there are; 0 if unknown. */
    static int surplus() {
        if (LOAD == null || PROCESSORS == 0 || !HAS_ALL || !READING.tryLock()) {
            return last;
        }
        try {
            LOAD.seek(0);
            int runnable = runnable(BYTES, LOAD.read(BYTES));
            last = runnable < 0 ? 0 : runnable - PROCESSORS;
        } catch (IOException e) {
            last = 0;
        } finally {
            READING.unlock();
        }
        return last;
    }

    /** How many processors the process may use; 0 if unknown. */
    static int allowed(Path status) {
        try {
            for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(ALLOWED)) {
                    return count(line.substring(ALLOWED.length()));
                }
            }
        } catch (IOException | NumberFormatException | SecurityException e) {
            return 0;
        }
        return 0;
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
        try {
            return count(ControlGroups.read(list));
        } catch (NumberFormatException e) {
            return 0; // also if there is none
        }
    }
}
