// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class during which a buffer was forgotten. Applied to all of them by the service loader. */
public final class LeakWatch implements AfterAllCallback {
    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        System.gc();
        Thread.sleep(20); // for the collector's references to be queued
        ByteBufAllocator.DEFAULT.directBuffer(1).release(); // at which the detector looks for what was collected
        if (!LeakReports.REPORTS.isEmpty()) {
            String reports = String.join(System.lineSeparator(), LeakReports.REPORTS);
            LeakReports.REPORTS.clear();
            throw new AssertionError("buffers leaked: " + reports);
        }
    }
}
