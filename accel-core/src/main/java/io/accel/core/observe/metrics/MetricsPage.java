// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe.metrics;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * Serves the metrics to whoever scrapes them: a service, so that the core knows no library of metrics. The module {@code io.accel.metrics}
 * provides it. Thread-safe.
 */
public interface MetricsPage {
    /**
     * Serves a page until the process ends. Its threads are daemons if the caller is one.
     *
     * @param address the address to serve at; port 0 for any
     * @return where the page is, with the port that it got
     * @throws IOException if it cannot be served there
     * @throws LinkageError if a library that it needs is missing
     */
    URI open(InetSocketAddress address) throws IOException;
}
