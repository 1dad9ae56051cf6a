// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.time.Duration;

/** The programs of one case over one path, to be measured any number of times until it is closed. Used by one thread. */
interface Session extends AutoCloseable {
    /** Measures for about {@code time}. */
    Sample measure(Duration time) throws IOException, InterruptedException;

    @Override
    void close();
}
