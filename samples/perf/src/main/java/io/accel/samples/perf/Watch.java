// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Watches processes, and this machine around them, for a time. Used by one thread. */
final class Watch {
    private final List<ProcessTimes> ends = new ArrayList<>();
    private final List<ProcessTimes> all = new ArrayList<>();
    private final MachineTimes machine;
    private final long begin;

    /**
     * Begins.
     *
     * @param ends the programs that are measured
     * @param besides other processes that belong to the case
     */
    Watch(List<BenchProcess> ends, List<BenchProcess> besides) throws IOException, InterruptedException {
        for (BenchProcess end : ends) {
            this.ends.add(end.times());
        }
        all.addAll(this.ends);
        for (BenchProcess other : besides) {
            all.add(other.times());
        }
        machine = MachineTimes.now();
        begin = System.nanoTime();
    }

    /** The conditions seen since the beginning. */
    Conditions seen() throws IOException, InterruptedException {
        double nanos = System.nanoTime() - begin;
        MachineTimes now = MachineTimes.now();
        double own = 0;
        double delay = 0;
        double compiler = 0;
        for (ProcessTimes process : all) {
            ProcessTimes.Used used = process.used();
            own += process.isFar() ? 0 : used.cpuNanos();
            if (ends.contains(process)) {
                delay += used.delayNanos();
                compiler += used.compilerNanos();
            }
        }
        return new Conditions(
                delay / nanos,
                compiler / nanos,
                Math.max(0, now.busySince(machine) - own / nanos),
                now.stealSince(machine),
                MachineTimes.load(),
                Double.NaN,
                true);
    }
}
