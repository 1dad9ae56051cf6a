// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

/** How often connections of this process went from the kernel to a faster path, as Accel reports it through JMX. */
final class Handovers {
    private static final String BEAN = "io.accel:type=Accel";
    private static final String ALL = "connections.";
    private static final String OF_THE_KERNEL = ".kernel";

    private Handovers() {}

    /** The number until now; none without Accel, or before its bean is registered, soon after the first channel. */
    static long ofThisProcess() {
        try {
            ObjectName name = new ObjectName(BEAN);
            if (!ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
                return 0;
            }
            TabularData figures =
                    (TabularData) ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Figures");
            return sum(figures.values().stream().map(CompositeData.class::cast));
        } catch (JMException e) {
            throw new IllegalStateException("cannot read " + BEAN, e);
        }
    }

    private static long sum(Stream<CompositeData> figures) {
        return figures.filter(figure -> isHandover((String) figure.get("key")))
                .mapToLong(figure -> (Long) figure.get("value"))
                .sum();
    }

    /** Such as {@code connections.client.shm}. */
    static boolean isHandover(String figure) {
        return figure.startsWith(ALL) && !figure.endsWith(OF_THE_KERNEL);
    }
}
