// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.accel.core.daemon.KernelOnly;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * A page for Prometheus to scrape, at {@code /metrics} on the JDK's own HTTP server, through the kernel and counted
 * nowhere. It has the format OpenMetrics for clients that accept that, and Prometheus's older one for all others.
 * Thread-safe.
 */
public final class PrometheusPage implements AutoCloseable {
    private final HttpServer server;
    private final PrometheusFamilies families = new PrometheusFamilies();

    private PrometheusPage(HttpServer server) {
        this.server = server;
        AccelMeters.describe(families);
    }

    /**
     * Opens the page. Its threads are daemons if the caller is one.
     *
     * @param address the address to serve at; port 0 for any
     * @throws IOException if it cannot be served there
     */
    public static PrometheusPage open(InetSocketAddress address) throws IOException {
        HttpServer server;
        try {
            server = KernelOnly.call(() -> HttpServer.create(address, 0));
        } catch (IOException e) {
            throw new IOException("Prometheus cannot be served at " + address + ": " + e.getMessage(), e);
        }
        PrometheusPage page = new PrometheusPage(server);
        server.createContext("/metrics", page::answer);
        server.start();
        return page;
    }

    /** The page's address, with the port that it got. */
    public URI uri() {
        InetSocketAddress address = server.getAddress();
        String host = address.getAddress().getHostAddress();
        return URI.create(
                "http://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort() + "/metrics");
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                exchange.sendResponseHeaders(404, -1);
            } else if (method.equals("GET") || method.equals("HEAD")) {
                PrometheusFamilies.Page made =
                        families.page(exchange.getRequestHeaders().getFirst("Accept"));
                byte[] page = made.bytes();
                exchange.getResponseHeaders().set("Content-Type", made.type());
                if (method.equals("HEAD")) {
                    exchange.getResponseHeaders().set("Content-Length", Integer.toString(page.length));
                    exchange.sendResponseHeaders(200, -1);
                } else {
                    exchange.sendResponseHeaders(200, page.length);
                    exchange.getResponseBody().write(page);
                }
            } else {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                exchange.sendResponseHeaders(405, -1);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
