// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;

/**
 * The result of one run of a case over one path.
 *
 * @param latencies all times of operations; empty where the case or the program does not tell them
 * @param kernelShare the part of the bytes that went through the kernel, by the read and write calls of both ends together: about 1 on
 *     kernel sockets, about 0 on another path; NaN if unknown
 * @param said the last lines that the client wrote for people, in which Accel says why a connection was not accelerated
 * @param crowd the programs that shared processors, and which; empty if that was not part of the case
 * @param conditions the machine's other work meanwhile
 */
record Sample(
        Figures figures, Latencies latencies, double kernelShare, String said, String crowd, Conditions conditions) {
    /** Doorbells and hellos are some bytes, too. */
    private static final double MOST = 0.5;

    /** A sample without the times of operations, and without the machine's other work. */
    Sample(Figures figures, double kernelShare, String said) {
        this(figures, Latencies.NONE, kernelShare, said, "", Conditions.UNKNOWN);
    }

    /** One round that was measured in slices. There must be one at least, and all must be of the same programs. */
    static Sample together(List<Sample> slices) {
        return new Sample(
                Figures.median(slices.stream().map(Sample::figures).toList()),
                Latencies.together(slices.stream().map(Sample::latencies).toList()),
                slices.stream().mapToDouble(Sample::kernelShare).average().orElseThrow(),
                slices.get(slices.size() - 1).said(),
                slices.get(0).crowd(),
                Conditions.worst(slices.stream().map(Sample::conditions).toList()));
    }

    /** Whether the bytes went through the kernel, though they need not have. */
    boolean wentByKernel() {
        return kernelShare > MOST;
    }
}
