// SPDX-License-Identifier: Apache-2.0
/**
 * Accel's counters as metrics, for Micrometer and for Prometheus. A program that binds them to its registry requires this module; the
 * page for Prometheus needs it to be there alone.
 */
// Micrometer and Prometheus' client need not be there, and have no descriptors.
@SuppressWarnings("requires-automatic")
module io.accel.metrics {
    requires io.accel.core;
    requires jdk.httpserver;
    requires static io.prometheus.metrics.config;
    requires static io.prometheus.metrics.model;
    requires static io.prometheus.writer.text;
    requires static micrometer.core;

    exports io.accel.metrics;

    provides io.accel.core.observe.metrics.MetricsPage with
            io.accel.metrics.meters.PrometheusPages;
}
