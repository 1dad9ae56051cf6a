/**
 * Accel's counters as metrics: {@link io.accel.core.observe.metrics.AccelMetrics} for programs that have a Micrometer
 * registry, {@link io.accel.core.observe.metrics.MetricsExport} for those that have none. Both show {@link
 * io.accel.core.observe.metrics.AccelMeters}, which knows of no library.
 *
 * <p>This is the only package that needs Micrometer, or Prometheus' client. Neither must be present: only a program
 * that names these classes, or the property {@code accel.metrics}, loads them. Micrometer is always the program's
 * own, whichever class loader has it.
 */
package io.accel.core.observe.metrics;
