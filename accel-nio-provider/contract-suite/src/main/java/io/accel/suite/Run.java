// SPDX-License-Identifier: Apache-2.0
package io.accel.suite;

import io.accel.nio.contract.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A run of the suite: the provider of its JVM, the path of the bytes, and the tests that it is about.
 *
 * <p>All runs of {@code ./accel test} are described here. Maven's executions have the same names, and add only the JVM; {@link
 * RunSession} gives the JVM the settings that are written here.
 *
 * @param path the provider and the path
 * @param profile of Accel, or null for the usual one
 * @param handover when connections move ({@code accel.handover.after}), or null if it does not apply
 * @param tag the tag of the tests, or null for all
 * @param multicast how datagrams to groups go ({@code accel.datagram.multicast}), or null for the usual way
 */
record Run(Path path, String profile, String handover, String tag, String multicast) {
    private static final String MULTICAST = "multicast";

    /** The default time when connections move: before anybody sees them, so that every byte takes the path. */
    static final String AT_CONNECT = "connect";

    /** The end of the names of Maven's executions on a newer JDK. */
    private static final String NEWER = "-newer";

    Run(Path path, String profile, String handover, String tag) {
        this(path, profile, handover, tag, null);
    }

    private static final Map<String, Run> NAMED = named();

    private static Map<String, Run> named() {
        Map<String, Run> runs = new LinkedHashMap<>();
        runs.put("jdk", new Run(Path.JDK, null, null, null));
        runs.put("kernel", new Run(Path.KERNEL, null, null, null));
        runs.put("shm-latency", new Run(Path.SHM, "latency", AT_CONNECT, null));
        runs.put("shm-low-cpu", new Run(Path.SHM, "low-cpu", AT_CONNECT, null));
        runs.put("shm-random", new Run(Path.SHM, null, "random", null));
        // Nobody waits for the move, which then goes on while the program runs. Other tests expect that it is
        // done.
        runs.put("shm-racing", new Run(Path.SHM, null, "0", "racing"));
        // A connection gets what a link needs while its first reads and writes are under way.
        runs.put("shm-soon", new Run(Path.SHM, null, "soon", "racing"));
        runs.put("shm-multicast-both", new Run(Path.SHM, "latency", AT_CONNECT, MULTICAST, "both"));
        runs.put("shm-multicast-fabric", new Run(Path.SHM, "latency", AT_CONNECT, MULTICAST, "fabric"));
        return Collections.unmodifiableMap(runs);
    }

    /** The runs by their names, in the order in which they are run. */
    static Map<String, Run> all() {
        return NAMED;
    }

    /**
     * The run of that name. On another JDK it is {@code NAME-newer}.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Run of(String name) {
        Run run = NAMED.get(name.endsWith(NEWER) ? name.substring(0, name.length() - NEWER.length()) : name);
        if (run == null) {
            throw new IllegalArgumentException("no run '" + name + "'; there are " + String.join(", ", NAMED.keySet()));
        }
        return run;
    }

    /** The system properties of its JVM. */
    Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("contract.path", path.name().toLowerCase(Locale.ROOT));
        if (path == Path.JDK) {
            return properties;
        }
        properties.put("java.nio.channels.spi.SelectorProvider", "io.accel.nio.AccelSelectorProvider");
        properties.put(
                "java.nio.channels.spi.AsynchronousChannelProvider", "io.accel.nio.AccelAsynchronousChannelProvider");
        // A connection that falls back fails the suite, so a machine that stands still for a second must not cause
        // that.
        properties.put("accel.connect.probe-timeout", "10s");
        properties.put("accel.handshake.timeout", "20s");
        if (path == Path.KERNEL) {
            properties.put("accel.rule.1", "kernel * *:*");
        } else {
            // Unix-domain streams also move, and the suite is told so.
            properties.put("accel.unix.streams", "true");
            properties.put("contract.unix", "true");
        }
        if (profile != null) {
            properties.put("accel.profile", profile);
        }
        if (multicast != null) {
            properties.put("accel.datagram.multicast", multicast);
        }
        if (handover != null) {
            properties.put("accel.handover.after", handover);
        }
        return properties;
    }
}
