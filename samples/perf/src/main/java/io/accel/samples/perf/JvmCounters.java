// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The counters that a running HotSpot JVM keeps for {@code jstat}. It keeps them in a file that it has mapped, so reading them costs it nothing. NaN
 * stands for a counter that it does not have.
 *
 * @param classes loaded so far, those of the JDK's archive, too
 * @param methods compiled so far, and loops in methods that were running
 * @param bytecode bytes of bytecode that these have
 */
record JvmCounters(double classes, double methods, double bytecode) {
    static final JvmCounters NONE = new JvmCounters(Double.NaN, Double.NaN, Double.NaN);

    private static final int MAGIC = 0xcafec0c0;
    private static final int PROLOGUE = 32;
    /** Within the prologue. */
    private static final int BYTE_ORDER = 4;

    private static final int ENTRY_OFFSET = 24;
    private static final int ENTRIES = 28;
    /** Within an entry. */
    private static final int NAME_OFFSET = 4;

    private static final int VECTOR_LENGTH = 8;
    private static final int TYPE = 12;
    private static final int DATA_OFFSET = 16;

    private static final String DAMAGED = "the counters of a JVM are damaged: ";

    /** The counters of a process of this user; {@link #NONE} if it is no JVM that has them. */
    static JvmCounters of(long pid) throws IOException {
        Path file = Path.of("/tmp", "hsperfdata_" + System.getProperty("user.name"), Long.toString(pid));
        return Files.isReadable(file) ? of(parse(Files.readAllBytes(file))) : NONE;
    }

    /** @param counters by their names */
    static JvmCounters of(Map<String, Long> counters) {
        return new JvmCounters(
                sum(counters, "java.cls.loadedClasses", "java.cls.sharedLoadedClasses"),
                sum(counters, "sun.ci.standardCompiles", "sun.ci.osrCompiles"),
                sum(counters, "sun.ci.standardBytes", "sun.ci.osrBytes"));
    }

    private static double sum(Map<String, Long> counters, String... names) {
        double sum = 0;
        for (String name : names) {
            sum += counters.containsKey(name) ? counters.get(name) : Double.NaN;
        }
        return sum;
    }

    JvmCounters plus(JvmCounters other) {
        return new JvmCounters(classes + other.classes, methods + other.methods, bytecode + other.bytecode);
    }

    /**
     * The numbers in the content of such a file, by their names.
     *
     * @throws IOException if it is no such file
     */
    static Map<String, Long> parse(byte[] content) throws IOException {
        ByteBuffer data = ByteBuffer.wrap(content);
        if (content.length < PROLOGUE || data.getInt(0) != MAGIC) {
            throw new IOException(DAMAGED + "their file begins with something else");
        }
        data.order(data.get(BYTE_ORDER) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        Map<String, Long> counters = new HashMap<>();
        try {
            int entry = data.getInt(ENTRY_OFFSET);
            for (int left = data.getInt(ENTRIES); left > 0; left--) {
                if (data.get(entry + TYPE) == 'J' && data.getInt(entry + VECTOR_LENGTH) == 0) {
                    counters.put(
                            text(content, entry + data.getInt(entry + NAME_OFFSET)),
                            data.getLong(entry + data.getInt(entry + DATA_OFFSET)));
                }
                int length = data.getInt(entry);
                if (length <= 0) {
                    throw new IOException(DAMAGED + "an entry has no length");
                }
                entry += length;
            }
        } catch (IndexOutOfBoundsException e) {
            throw new IOException(DAMAGED + "an entry lies outside of their file", e);
        }
        return counters;
    }

    private static String text(byte[] content, int from) {
        int end = from;
        while (content[end] != 0) {
            end++;
        }
        return new String(content, from, end - from, StandardCharsets.US_ASCII);
    }
}
