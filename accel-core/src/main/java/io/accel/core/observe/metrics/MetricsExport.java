// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe.metrics;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Metrics for programs that have no registry of their own, as the system property {@code accel.metrics} asks for
 * them.
 *
 * <p>The property's value is a list, separated by commas, of {@code jmx} and {@code prometheus[:[HOST:]PORT]}. The
 * host is {@code 127.0.0.1} and the port {@value #DEFAULT_PORT} unless given; port 0 takes any free port, and the log
 * says which.
 */
public final class MetricsExport {
    static final int DEFAULT_PORT = 9464;

    private static final Log LOG = Log.of("io.accel");

    /** A way to see the metrics; it has an address for Prometheus, none for JMX. */
    record Wanted(InetSocketAddress prometheus) {}

    private MetricsExport() {}

    /**
     * Starts the exports that the profile asks for, on a thread of their own. If one cannot be started, for example
     * on a port that is taken, the log says so, and the program is not disturbed.
     *
     * @param value the value of the key {@code metrics}; nothing is started if it is blank
     * @throws IllegalArgumentException if the value makes no sense
     */
    public static void start(String value) {
        if (value.isBlank()) {
            return;
        }
        List<Wanted> all = parse(value);
        // This needs a thread of its own: the JDK's server opens channels, which it cannot while their provider is
        // being made. Being a daemon, the thread makes the server's threads daemons.
        Daemons.start("accel-metrics-start", () -> all.forEach(MetricsExport::start));
    }

    static List<Wanted> parse(String value) {
        List<Wanted> all = new ArrayList<>();
        for (String part : value.split(",", -1)) {
            String text = part.strip();
            if (text.equals("jmx")) {
                all.add(new Wanted(null));
            } else if (text.equals("prometheus")) {
                all.add(new Wanted(address("127.0.0.1", Integer.toString(DEFAULT_PORT), value)));
            } else if (text.startsWith("prometheus:")) {
                String address = text.substring("prometheus:".length());
                int colon = address.lastIndexOf(':');
                String host = colon < 0 ? "127.0.0.1" : address.substring(0, colon);
                all.add(new Wanted(address(host, address.substring(colon + 1), value)));
            } else {
                throw wrong(value, "'" + text + "' is neither jmx nor prometheus");
            }
        }
        return all;
    }

    private static InetSocketAddress address(String host, String port, String value) {
        try {
            int number = Integer.parseInt(port);
            String plain = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
            if (!plain.isEmpty() && number >= 0 && number <= 65_535) {
                return new InetSocketAddress(InetAddress.getByName(plain), number);
            }
        } catch (NumberFormatException | UnknownHostException e) {
            throw wrong(value, e.getMessage());
        }
        throw wrong(value, "no such address: " + host + ":" + port);
    }

    private static IllegalArgumentException wrong(String value, String why) {
        return new IllegalArgumentException("metrics=" + value + ": " + why + ". Expected such as prometheus:127.0.0.1:"
                + DEFAULT_PORT + " or jmx");
    }

    /** Beside Accel's own classes, wherever a program has them: as its agent, on the class path, or as modules. */
    static MetricsPage page() throws IOException {
        return ServiceLoader.load(MetricsPage.class, MetricsPage.class.getClassLoader())
                .findFirst()
                .orElseThrow(
                        () -> new IOException("Prometheus cannot be served without io.accel:accel-metrics, which is not"
                                + " on the class path or the module path; accel.jar brings it"));
    }

    private static void start(Wanted wanted) {
        try {
            if (wanted.prometheus() == null) {
                JmxMetrics.register();
                LOG.get().log(Level.INFO, "accel: metrics are in JMX as {0}", JmxMetrics.NAME);
            } else {
                LOG.get().log(Level.INFO, "accel: metrics are at {0}", page().open(wanted.prometheus()));
            }
        } catch (IOException e) { // such as a port that is taken: the message says it all
            LOG.get().log(Level.WARNING, "accel: metrics are not available: " + e.getMessage());
        } catch (Exception e) {
            LOG.get().log(Level.WARNING, "accel: metrics are not available: " + e.getMessage(), e);
        } catch (LinkageError e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "accel: metrics are not available, since a class is missing (" + e.getMessage()
                                    + "). Prometheus needs"
                                    + " prometheus-metrics-exposition-textformats on the class path and the module jdk.httpserver,"
                                    + " JMX the module java.management; accel.jar brings the former",
                            e);
        }
    }
}
