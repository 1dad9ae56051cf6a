// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.FirstSeconds;
import io.accel.samples.bench.LatencyRun;
import io.accel.samples.bench.Meter;
import io.accel.samples.bench.Parameters;
import io.accel.samples.bench.YoungStart;
import java.io.IOException;

/** Operations of a client, one after the other; each is timed. */
public final class Operations {
    private Operations() {}

    /** One operation of a client library, which may throw any exception. */
    @FunctionalInterface
    public interface Operation {
        void run() throws Exception;
    }

    /**
     * The arguments of a client. One that is measured from its start on began together with its server, so this waits until it learns the
     * server's {@code port}.
     */
    public static Parameters parameters(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        return YoungStart.isAskedBy(parameters) ? parameters.with("port", Control.awaitPort()) : parameters;
    }

    /**
     * Runs the operation until it is warm, and then whenever it is told to measure; all threads of this process count. A client that is measured from
     * its start on counts operations from now on, until the last moment.
     */
    public static void execute(Operation operation, Parameters parameters) throws IOException {
        if (YoungStart.isAskedBy(parameters)) {
            YoungStart start = YoungStart.await(parameters);
            FirstSeconds done = start.newCounter();
            do {
                run(operation);
            } while (done.count(1));
            start.report();
        }
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
