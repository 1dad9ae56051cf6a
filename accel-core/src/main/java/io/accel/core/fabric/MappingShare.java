// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.FallbackReason;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory mappings that links take, one at each end. A process may have so many (vm.max_map_count), and one that has no more cannot
 * start a thread, and may end while it compiles. So links get at most half of those that the program leaves, and none when few are free.
 *
 * <p>The kernel tells the number of mappings only line by line, so it is counted now and then, by one thread at a time: the next count waits
 * for a hundred times as long as the last one took. While there are few, the length of that text bounds their number, and no line is looked
 * at: that loop over bytes would take a young program's processor for milliseconds. Any thread; none waits for a count but the first that
 * asks, and the one that counts.
 */
public final class MappingShare {
    /** So many stay free: enough for two hundred threads and what they do. */
    private static final long RESERVE = 1_024;
    /** One part of this many that are not the program's may be links'. */
    private static final int PARTS = 2;

    /** A bound on the program's mappings does instead of their number up to this part of the limit. */
    private static final int FEW_PARTS = 16;
    /** No line of the kernel's list is shorter: addresses, rights, offset, device and inode, in as few digits as it prints. */
    private static final int SHORTEST_LINE = "00400000-00401000 r--p 00000000 00:00 0\n".length();

    private static final int PIECE = 1 << 16;
    private static final int DIGITS = 32;
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How much longer than a count the pause behind it is. */
    private static final int PAUSE_FACTOR = 100;

    /** How many mappings a process may have; 0 if that is not known. */
    private static final long LIMIT = limit(Path.of("/proc/sys/vm/max_map_count"));

    private static final AtomicLong TAKEN = new AtomicLong();

    /** The mappings of all but links, at the last count, or a bound on them; -1 before the first. Written under the class's lock. */
    private static volatile long others = -1;
    /** The time of the next count. Written under the class's lock. */
    private static volatile long countAt;

    private MappingShare() {}

    /**
     * Takes a mapping, before it is made; its owner gives it back, once, after it is gone.
     *
     * @throws FallbackException NO_RESOURCES if links have their share, and none was taken
     */
    static void take() throws FallbackException {
        take(LIMIT, othersNow());
    }

    static void take(long limit, long others) throws FallbackException {
        long taken = TAKEN.incrementAndGet();
        if (limit > 0 && taken > share(limit, others)) {
            giveBack();
            throw Shortage.of(
                    FallbackReason.NO_RESOURCES,
                    "of the " + limit
                            + " memory mappings that this process may have (vm.max_map_count) the program has " + others
                            + ", and connections with faster paths " + (taken - 1));
        }
    }

    static void giveBack() {
        TAKEN.decrementAndGet();
    }

    /** How many mappings links have. */
    static long taken() {
        return TAKEN.get();
    }

    /** How many links have more than their share. */
    static long missing() {
        return LIMIT == 0 ? 0 : TAKEN.get() - share(LIMIT, othersNow());
    }

    /** Whether the process has few of the mappings that it may have, by a count that may be new. */
    static boolean isFarFromAll() {
        return LIMIT == 0 || othersNow() + TAKEN.get() < LIMIT / LinkShare.FAR_PARTS;
    }

    private static long share(long limit, long others) {
        long left = limit - others;
        return Math.max(0, Math.min(left / PARTS, left - RESERVE));
    }

    private static long othersNow() {
        if (LIMIT > 0 && (others < 0 || System.nanoTime() - countAt >= 0)) {
            count();
        }
        return Math.max(0, others);
    }

    private static synchronized void count() {
        long start = System.nanoTime();
        if (others >= 0 && start - countAt < 0) {
            return; // another thread has just counted
        }
        long links = TAKEN.get();
        long all = count(Path.of("/proc/self/maps"), LIMIT / FEW_PARTS);
        if (all > 0) {
            others = Math.max(0, all - links);
        } else {
            others = Math.max(0, others); // no descriptor is left to count with
        }
        long end = System.nanoTime();
        countAt = end + Math.max(LEAST_PAUSE_NANOS, PAUSE_FACTOR * (end - start));
    }

    /**
     * The number of lines of a list of mappings.
     *
     * @param maps the list
     * @param few if its length shows that there are no more lines than so many, that bound is the answer
     * @return -1 if it cannot be read
     */
    static long count(Path maps, long few) {
        try {
            long most = bytes(maps) / SHORTEST_LINE;
            return most <= few ? most : lines(maps);
        } catch (IOException | SecurityException e) {
            return -1;
        }
    }

    private static long bytes(Path maps) throws IOException {
        try (InputStream in = new FileInputStream(maps.toFile())) {
            return in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static long lines(Path maps) throws IOException {
        byte[] piece = new byte[PIECE];
        long lines = 0;
        try (InputStream in = new FileInputStream(maps.toFile())) {
            for (int n = in.read(piece); n > 0; n = in.read(piece)) {
                for (int i = 0; i < n; i++) {
                    lines += piece[i] == '\n' ? 1 : 0;
                }
            }
        }
        return lines;
    }

    /** The limit in force; 0 if there is none that is known. */
    static long limit(Path file) {
        try (InputStream in = new FileInputStream(file.toFile())) {
            byte[] digits = new byte[DIGITS]; // at once: the kernel answers the first read of such a file alone
            int n = in.read(digits);
            return Long.parseLong(new String(digits, 0, Math.max(0, n), StandardCharsets.US_ASCII).strip());
        } catch (IOException | SecurityException | NumberFormatException e) {
            return 0;
        }
    }
}
