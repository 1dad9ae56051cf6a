// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe.metrics;

import java.util.List;
import java.util.Map;

/** The view of Accel in JMX, as {@value JmxMetrics#NAME}. */
public interface AccelMXBean {
    /**
     * Figures of the process by name, such as {@code bytes.in.shm}; times in nanoseconds. Figures of events that never
     * happened are missing.
     */
    Map<String, Long> getFigures();

    /** How many connections there are at present, on any path. */
    int getConnectionCount();

    /** The present connections, each in a line: number, role, path, state, addresses, reason. */
    List<String> getConnections();
}
