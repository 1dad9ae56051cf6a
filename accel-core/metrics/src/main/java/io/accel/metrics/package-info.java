// SPDX-License-Identifier: Apache-2.0
/**
 * Accel's metrics for a program's own Micrometer registry: {@link io.accel.metrics.AccelMetrics}. Depends on {@code
 * metrics.meters} and {@code core.daemon}. Micrometer need not be present until a program names the class.
 */
package io.accel.metrics;
