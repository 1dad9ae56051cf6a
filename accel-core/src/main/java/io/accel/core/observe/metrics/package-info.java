// SPDX-License-Identifier: Apache-2.0
/**
 * Accel's counters as metrics: what {@code io.accel.metrics.AccelMetrics} binds to a program's Micrometer registry, and {@link io.accel.core.observe.metrics.MetricsExport} for programs that have none. Both show {@link
 * io.accel.core.observe.metrics.AccelMeters}, which knows of no library.
 *
 * <p>This package and {@code io.accel.metrics} are the only ones that need Micrometer, or Prometheus' client. Neither must be present: only a program
 * that names these classes, or the property {@code accel.metrics}, loads them. Micrometer is always the program's
 * own, whichever class loader has it.
 */
package io.accel.core.observe.metrics;
