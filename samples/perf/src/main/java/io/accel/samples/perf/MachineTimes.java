// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The use of the machine's processors until a moment, in the kernel's ticks. Within a container this is more than the container's
 * own use. Immutable.
 *
 * @param processors how many there are
 * @param busy ticks that programs and the kernel had, of all processors
 * @param stolen ticks that the hypervisor gave to others
 * @param all these and the idle ones
 */
record MachineTimes(int processors, long busy, long stolen, long all) {
    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final Path LOAD = Path.of("/proc/loadavg");

    /** The places of these in the line, beside user, nice, system, irq and softirq. */
    private static final int IDLE = 3;

    private static final int WAITING = 4;
    private static final int STOLEN = 7;
    /** The values after that are already counted as user time. */
    private static final int FIELDS = 8;

    static MachineTimes now() throws IOException {
        return of(Files.readAllLines(STATISTICS));
    }

    /** @param lines of {@code /proc/stat} */
    static MachineTimes of(List<String> lines) throws IOException {
        int processors =
                (int) lines.stream().filter(line -> line.matches("cpu\\d+ .*")).count();
        String sum = lines.stream()
                .filter(line -> line.startsWith("cpu "))
                .findFirst()
                .orElseThrow(() -> new IOException(STATISTICS + " has no line 'cpu'"));
        long[] ticks = Arrays.stream(sum.substring("cpu ".length()).trim().split(" +", -1))
                .mapToLong(Long::parseLong)
                .limit(FIELDS)
                .toArray();
        long all = Arrays.stream(ticks).sum();
        return new MachineTimes(processors, all - ticks[IDLE] - ticks[WAITING] - ticks[STOLEN], ticks[STOLEN], all);
    }

    /** How many processors were busy on average since {@code earlier}; NaN if no tick passed. */
    double busySince(MachineTimes earlier) {
        return processors * (double) (busy - earlier.busy) / (all - earlier.all);
    }

    /** The part of the time since {@code earlier} that was stolen; NaN if no tick passed. */
    double stealSince(MachineTimes earlier) {
        return (double) (stolen - earlier.stolen) / (all - earlier.all);
    }

    /** The system's load average over a minute. */
    static double load() throws IOException {
        String line = Files.readString(LOAD);
        return Double.parseDouble(line.substring(0, line.indexOf(' ')));
    }
}
