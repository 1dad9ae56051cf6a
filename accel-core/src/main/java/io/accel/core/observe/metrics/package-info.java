/**
 * Accel's counters as metrics: {@link io.accel.core.observe.metrics.AccelMetrics} for programs that have a Micrometer
 * registry, {@link io.accel.core.observe.metrics.MetricsExport} for those that have none. Both show {@link
 * io.accel.core.observe.metrics.AccelMeters}, which knows of no library.
 *
 * <p>The only package that needs Micrometer, or Prometheus' client. Neither need be there: nothing loads these classes but a program
 * that names them, or the property {@code accel.metrics}. Micrometer is always the program's, wherever its class loader is.
 */
package io.accel.core.observe.metrics;
