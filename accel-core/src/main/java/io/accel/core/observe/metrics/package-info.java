/**
 * Accel's counters as metrics: {@link io.accel.core.observe.metrics.AccelMetrics} for programs that have a Micrometer
 * registry, {@link io.accel.core.observe.metrics.MetricsExport} for those that have none.
 *
 * <p>The only package that needs Micrometer, which need not be there: nothing loads these classes but a program that names
 * them, or the property {@code accel.metrics}.
 */
package io.accel.core.observe.metrics;
