// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import io.accel.core.observe.Durations;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Takes Accel's meters, for a registry of the program's, or for the page that Prometheus reads. A sink keeps the
 * functions, and calls them when somebody asks for values. It is public because a class that another class loader
 * defines implements it.
 */
public interface MeterSink {
    /** Takes a value that goes up and down. */
    void gauge(MeterId id, DoubleSupplier value);

    /** Takes a sum that only grows. */
    void counter(MeterId id, DoubleSupplier sum);

    /** Takes the number of events, and their duration in all. */
    void timer(MeterId id, LongSupplier count, DoubleSupplier nanos);

    /**
     * Takes the same, for events whose single durations are known.
     *
     * @param count how many events have begun
     * @param nanos their duration in all
     * @param over the finished events, for a sink that takes the number in each range
     */
    default void timer(MeterId id, LongSupplier count, DoubleSupplier nanos, Durations over) {
        timer(id, count, nanos);
    }
}
