// SPDX-License-Identifier: Apache-2.0
/**
 * Accel's counters for programs that have no registry of metrics: what the property {@code accel.metrics} asks for. {@link
 * io.accel.core.observe.metrics.MetricsExport} starts it: the bean for JMX, which needs the JDK alone, or a {@link
 * io.accel.core.observe.metrics.MetricsPage}, which {@code io.accel.metrics} has.
 *
 * <p>Only that property loads what {@code MetricsExport} starts. This package depends on {@code core.observe} and {@code core.daemon}.
 */
package io.accel.core.observe.metrics;
