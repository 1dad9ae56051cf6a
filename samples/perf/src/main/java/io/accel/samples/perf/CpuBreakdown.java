// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The work that the threads of some processes used their processors for, by samples of equal weight. Immutable.
 *
 * @param samples the number of samples for each use, by the method, or the function of native code, that a thread was in
 */
record CpuBreakdown(Map<CpuUse, Map<String, Long>> samples) {
    static final CpuBreakdown NONE = new CpuBreakdown(Map.of());

    private static final int NAMED = 3;

    CpuBreakdown {
        samples = Map.copyOf(samples);
    }

    /** @param stacks lines of frames with semicolons between them, then a space and the number of its samples */
    static CpuBreakdown of(Collection<String> stacks) {
        Map<CpuUse, Map<String, Long>> samples = new EnumMap<>(CpuUse.class);
        for (String line : stacks) {
            int space = line.lastIndexOf(' ');
            String[] frames = line.substring(0, space).split(";", -1);
            long count = Long.parseLong(line.substring(space + 1));
            samples.computeIfAbsent(CpuUse.of(frames), use -> new HashMap<>())
                    .merge(frames[frames.length - 1], count, Long::sum);
        }
        return new CpuBreakdown(samples);
    }

    long all() {
        return samples.keySet().stream().mapToLong(this::count).sum();
    }

    private long count(CpuUse use) {
        return samples.getOrDefault(use, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Its part of all samples, from 0 to 1; NaN if there are no samples. */
    double share(CpuUse use) {
        return all() == 0 ? Double.NaN : (double) count(use) / all();
    }

    /** The shares, and the methods in which most of the socket calls and of Accel are. */
    String words() {
        String shares = Stream.of(CpuUse.values())
                .filter(samples::containsKey)
                .map(use -> String.format(Locale.ROOT, "%s %.0f %%", use.label, 100 * share(use)))
                .collect(Collectors.joining(", "));
        return shares + most(CpuUse.SOCKET_CALLS) + most(CpuUse.ACCEL);
    }

    private String most(CpuUse use) {
        List<String> most = samples.getOrDefault(use, Map.of()).entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(NAMED)
                .map(each ->
                        String.format(Locale.ROOT, "%s %.0f %%", name(each.getKey()), 100.0 * each.getValue() / all()))
                .toList();
        return most.isEmpty() ? "" : "; " + use.label + ": " + String.join(", ", most);
    }

    /** Without the package. */
    private static String name(String frame) {
        return frame.substring(frame.lastIndexOf('/') + 1);
    }
}
