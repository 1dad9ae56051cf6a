// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads, which JDK 21 has and the JDK that this is compiled for does not have. */
final class VirtualThreads {
    private VirtualThreads() {}

    static boolean areWanted(Parameters parameters) {
        return parameters.text("threads", "platform").equals("virtual");
    }

    /** An executor that gives each task a virtual thread. */
    static ExecutorService executor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException(
                    "virtual threads need JDK 21 or newer, and this is JDK "
                            + Runtime.version().feature(),
                    e);
        }
    }
}
