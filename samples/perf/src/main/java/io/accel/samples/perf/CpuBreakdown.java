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
 * What the threads of some processes used their processors for, by samples of equal weight. Immutable.
 *
 * @param samples how many there are of each use
 * @param methods the same by the method, or the function of native code, that a thread was in
 */
record CpuBreakdown(Map<CpuUse, Long> samples, Map<CpuUse, Map<String, Long>> methods) {
    static final CpuBreakdown NONE = new CpuBreakdown(Map.of(), Map.of());

    private static final int NAMED = 3;

    CpuBreakdown {
        samples = Map.copyOf(samples);
        methods = Map.copyOf(methods);
    }

    /** @param stacks lines of frames with semicolons between them, then a space and how many samples there are of it */
    static CpuBreakdown of(Collection<String> stacks) {
        Map<CpuUse, Long> samples = new EnumMap<>(CpuUse.class);
        Map<CpuUse, Map<String, Long>> methods = new EnumMap<>(CpuUse.class);
        for (String line : stacks) {
            int space = line.lastIndexOf(' ');
            String[] frames = line.substring(0, space).split(";", -1);
            long count = Long.parseLong(line.substring(space + 1));
            CpuUse use = CpuUse.of(frames);
            samples.merge(use, count, Long::sum);
            methods.computeIfAbsent(use, each -> new HashMap<>()).merge(frames[frames.length - 1], count, Long::sum);
        }
        return new CpuBreakdown(samples, methods);
    }

    long all() {
        return samples.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Which part of all, from 0 to 1; NaN if there are no samples. */
    double share(CpuUse use) {
        return all() == 0 ? Double.NaN : (double) samples.getOrDefault(use, 0L) / all();
    }

    /** The shares, and the methods in which most of the socket calls and of Accel are. */
    String words() {
        String shares = Stream.of(CpuUse.values())
                .filter(use -> samples.containsKey(use))
                .map(use -> String.format(Locale.ROOT, "%s %.0f %%", use.label, 100 * share(use)))
                .collect(Collectors.joining(", "));
        return shares + most(CpuUse.SOCKET_CALLS) + most(CpuUse.ACCEL);
    }

    private String most(CpuUse use) {
        List<String> most = methods.getOrDefault(use, Map.of()).entrySet().stream()
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
