// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBufAllocator;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class during which a buffer was forgotten. Applied to all of them by the service loader. */
public final class LeakWatch implements AfterAllCallback {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        collect();
        collect(); // the references that a collection finds are queued in any order, and before those of the next one
        ByteBufAllocator.DEFAULT.directBuffer(1).release(); // at which the detector looks for what was collected
        if (!LeakReports.REPORTS.isEmpty()) {
            String reports = String.join(System.lineSeparator(), LeakReports.REPORTS);
            LeakReports.REPORTS.clear();
            throw new AssertionError("buffers leaked: " + reports);
        }
    }

    /** Returns when a reference to an object that was just forgotten has been queued. */
    private static void collect() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        PhantomReference<Object> forgotten = new PhantomReference<>(new Object(), queue);
        System.gc();
        if (queue.remove(LIMIT.toMillis()) != forgotten) {
            throw new AssertionError("the collector has found nothing for " + LIMIT);
        }
    }
}
