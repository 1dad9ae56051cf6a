// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe.metrics;

import io.accel.core.daemon.Log;
import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Connections;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.ProcessFigures;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;

/** The counters as a JMX bean. It needs the JDK alone. */
final class JmxMetrics implements AccelMXBean {
    static final String NAME = "io.accel:type=Accel";

    private JmxMetrics() {}

    /** Registers the bean, unless it is registered. */
    static void register() throws JMException {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new JmxMetrics(), new ObjectName(NAME));
        } catch (InstanceAlreadyExistsException e) {
            Log.of("io.accel").get().log(System.Logger.Level.DEBUG, "accel: " + NAME + " is there already", e);
        }
    }

    @Override
    public Map<String, Long> getFigures() {
        return ProcessFigures.read();
    }

    @Override
    public int getConnectionCount() {
        return Connections.observe().size();
    }

    @Override
    public List<String> getConnections() {
        List<String> lines = new ArrayList<>();
        for (ObservedConnection connection : Connections.observe()) {
            ConnectionSample sample = connection.sample();
            lines.add(String.join(
                    " ",
                    Long.toString(sample.id()),
                    sample.role(),
                    sample.path(),
                    sample.state(),
                    sample.local(),
                    sample.remote(),
                    sample.reason()));
        }
        return lines;
    }
}
