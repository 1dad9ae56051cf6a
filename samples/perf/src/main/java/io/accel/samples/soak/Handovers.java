// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.lang.management.ManagementFactory;
import java.util.function.Predicate;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

/** How often connections of this process went from the kernel to a faster path, and back, as Accel reports it through JMX. */
final class Handovers {
    private static final String BEAN = "io.accel:type=Accel";
    private static final String ALL = "connections.";
    private static final String OF_THE_KERNEL = ".kernel";
    private static final String TO_THE_KERNEL = "fallbacks.";
    private static final String BYTES = "bytes.";
    private static final String OVER_RDMA = ".rdma";
    private static final String LOST = ".LINK_LOST";

    private Handovers() {}

    /** The number until now; none without Accel, or before its bean is registered, soon after the first channel. */
    static long ofThisProcess() {
        return sum(Handovers::isHandover);
    }

    /** The number of connections until now whose link broke, and which went on through the kernel. */
    static long linksLost() {
        return sum(Handovers::isLostLink);
    }

    /** The bytes that went over RDMA until now, in both directions. */
    static long bytesOverRdma() {
        return sum(figure -> figure.startsWith(BYTES) && figure.endsWith(OVER_RDMA));
    }

    private static long sum(Predicate<String> ofThese) {
        try {
            ObjectName name = new ObjectName(BEAN);
            if (!ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
                return 0;
            }
            TabularData figures =
                    (TabularData) ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Figures");
            return figures.values().stream()
                    .map(CompositeData.class::cast)
                    .filter(figure -> ofThese.test((String) figure.get("key")))
                    .mapToLong(figure -> (Long) figure.get("value"))
                    .sum();
        } catch (JMException e) {
            throw new IllegalStateException("cannot read " + BEAN, e);
        }
    }

    /** Such as {@code connections.client.shm}. */
    static boolean isHandover(String figure) {
        return figure.startsWith(ALL) && !figure.endsWith(OF_THE_KERNEL);
    }

    /** Such as {@code fallbacks.client.LINK_LOST}. */
    static boolean isLostLink(String figure) {
        return figure.startsWith(TO_THE_KERNEL) && figure.endsWith(LOST);
    }
}
