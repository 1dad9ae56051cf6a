// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The share of processor time that the control groups of this process leave to it, and how often the process was
 * stopped for having used that up. It reads both versions of control groups, as containers see them. Immutable; the
 * figures are read anew each time.
 */
final class CpuQuota {
    /** The quota of this process. */
    static final CpuQuota OF_PROCESS = new CpuQuota(ControlGroups.ofProcess());

    private static final String THROTTLED = "nr_throttled ";

    /** The groups, of this process or around it, that have a limit. */
    private final List<Path> limited = new ArrayList<>();

    private final boolean fractional;

    /**
     * Reads the limits.
     *
     * @param groups the groups of the process
     */
    CpuQuota(ControlGroups groups) {
        boolean found = false;
        for (Path group : groups.of("cpu")) {
            double processors = ControlGroups.processors(group);
            if (processors > 0) {
                limited.add(group);
                found |= processors != Math.rint(processors);
            }
        }
        fractional = found;
    }

    /** Whether the limit is not a whole number of processors. */
    boolean isFractional() {
        return fractional;
    }

    /** How often the process was stopped since the groups exist; 0 without a limit. */
    long throttled() {
        long sum = 0;
        for (Path group : limited) {
            String stat = ControlGroups.read(group.resolve("cpu.stat"));
            int at = stat.indexOf(THROTTLED);
            if (at >= 0) {
                sum += Math.max(0, ProcFile.number(stat.substring(at), 1));
            }
        }
        return sum;
    }
}
