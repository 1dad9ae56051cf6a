package io.accel.core.observe.metrics;

import java.util.List;
import java.util.Map;

/** What JMX shows of Accel, as {@value JmxMetrics#NAME}. */
public interface AccelMXBean {
    /** Figures of the process by name, such as {@code bytes.in.shm}; times in nanoseconds. What never happened is not there. */
    Map<String, Long> getFigures();

    /** How many connections there are, on any path. */
    int getConnectionCount();

    /** The connections that there are, each in a line: number, role, path, state, addresses, reason. */
    List<String> getConnections();
}
