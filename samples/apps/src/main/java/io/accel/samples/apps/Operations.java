// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.LatencyRun;
import io.accel.samples.bench.Meter;
import io.accel.samples.bench.Parameters;
import java.io.IOException;

/** Operations of a client, one after the other; each is timed. */
public final class Operations {
    private Operations() {}

    /** One operation of a client library, which may throw any exception. */
    @FunctionalInterface
    public interface Operation {
        void run() throws Exception;
    }

    /** Runs the operation until it is warm, and then whenever it is told to measure; all threads of this process count. */
    public static void execute(Operation operation, Parameters parameters) throws IOException {
        new LatencyRun(() -> run(operation), 0, 1)
                .metering(Meter.ofAllThreads())
                .execute(parameters);
    }

    private static void run(Operation operation) throws IOException {
        try {
            operation.run();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("an operation failed: " + e, e);
        }
    }
}
