// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure that only some cases measure; NaN in the others.
 *
 * @param connectionBytes memory that an open connection takes beside the kernel's sockets: heaps, other memory of both processes,
 *     and shared memory of the system
 * @param connectionDescriptors descriptors that both ends of a connection have open
 * @param balance the connections of the worst served of several listeners, as a part of its even share
 * @param linked the part of the client's connections that was on a link once it was warm
 * @param linkedBytes the part of the client's bytes that did not go through the kernel
 * @param longestMicros the longest time of an operation in microseconds
 * @param young the first seconds of both programs
 */
record Extra(
        double connectionBytes,
        double connectionDescriptors,
        double balance,
        double linked,
        double linkedBytes,
        double longestMicros,
        Young young) {
    static final Extra NONE = new Extra(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    /** Of programs that are not measured from their start on. */
    Extra(double connectionBytes, double connectionDescriptors, double balance, double linked, double linkedBytes) {
        this(connectionBytes, connectionDescriptors, balance, linked, linkedBytes, Double.NaN, Young.NONE);
    }

    Extra with(Young firstSeconds) {
        return new Extra(
                connectionBytes, connectionDescriptors, balance, linked, linkedBytes, longestMicros, firstSeconds);
    }

    Extra withLongest(double micros) {
        return new Extra(connectionBytes, connectionDescriptors, balance, linked, linkedBytes, micros, young);
    }

    /** Of each the median. */
    static Extra median(List<Extra> rounds) {
        return new Extra(
                median(rounds, Extra::connectionBytes),
                median(rounds, Extra::connectionDescriptors),
                median(rounds, Extra::balance),
                median(rounds, Extra::linked),
                median(rounds, Extra::linkedBytes),
                median(rounds, Extra::longestMicros),
                Young.median(rounds.stream().map(Extra::young).toList()));
    }

    private static double median(List<Extra> rounds, ToDoubleFunction<Extra> of) {
        return Figures.median(rounds.stream().mapToDouble(of).toArray());
    }
}
