// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import io.accel.core.observe.metrics.MetricsPage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * Opens the page for Prometheus where the property {@code accel.metrics} asks for one. It can be loaded without Prometheus' client. It is
 * public, with a public constructor, for the service loader. Thread-safe; stateless.
 */
public final class PrometheusPages implements MetricsPage {
    /** Called by the service loader. */
    public PrometheusPages() {}

    @Override
    public URI open(InetSocketAddress address) throws IOException {
        return PrometheusPage.open(address).uri();
    }
}
