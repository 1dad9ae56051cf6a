// SPDX-License-Identifier: Apache-2.0
/**
 * Accel's counters as meters, which {@link io.accel.metrics.meters.AccelMeters} lists in no library's terms: what {@code
 * io.accel.metrics.AccelMetrics} binds to a program's Micrometer registry, and the page for Prometheus, which the core opens as its {@code
 * MetricsPage}.
 *
 * <p>No other package needs Micrometer, or Prometheus' client, but for the signature of {@code AccelMetrics}. Neither must be present: only a
 * program that names these classes, or the property {@code accel.metrics}, loads them. Micrometer is always the program's own, whichever
 * class loader has it. This package depends on {@code core.observe}, {@code core.observe.metrics} and {@code core.daemon}.
 */
package io.accel.metrics.meters;
