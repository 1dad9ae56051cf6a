package io.accel.core.observe.metrics;

import io.accel.core.observe.Durations;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Takes Accel's meters: for a registry of the program's, or for the page that Prometheus reads. It keeps the functions, and calls
 * them when somebody wants to know. Public because a class that another class loader defines implements it.
 */
public interface MeterSink {
    /** A value that goes up and down. */
    void gauge(MeterId id, DoubleSupplier value);

    /** A sum that only grows. */
    void counter(MeterId id, DoubleSupplier sum);

    /** How often something happened, and for how many nanoseconds in all. */
    void timer(MeterId id, LongSupplier count, DoubleSupplier nanos);

    /**
     * The same of something of which is known how long it took each time.
     *
     * @param count how often it began
     * @param nanos for how long in all
     * @param over those that are over, for a sink that takes how often in each range
     */
    default void timer(MeterId id, LongSupplier count, DoubleSupplier nanos, Durations over) {
        timer(id, count, nanos);
    }
}
