// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Netty's leak detector, keeping what it reports for {@link LeakWatch}. Netty makes it by the system property {@code
 * io.netty.customResourceLeakDetector}.
 *
 * @param <T> what is watched
 */
public final class LeakReports<T> extends ResourceLeakDetector<T> {
    static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

    public LeakReports(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    @SuppressWarnings("unused") // one of the two constructors that Netty looks for
    public LeakReports(Class<?> resourceType, int samplingInterval, long maxActive) {
        super(resourceType, samplingInterval);
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        REPORTS.add(resourceType + " was not released before it was collected; its last uses:" + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        REPORTS.add(resourceType + " was not released before it was collected");
    }
}
