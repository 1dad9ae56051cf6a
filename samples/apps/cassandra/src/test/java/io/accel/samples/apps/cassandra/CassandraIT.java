// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.cassandra;

import io.accel.samples.perf.PerfCommand;
import io.accel.testing.AppsRun;
import io.accel.testing.RealProgram;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code perf apps cassandra-read}, once through. */
@RealProgram(
        name = "Apache Cassandra and its Java driver",
        artifact = "org.apache.cassandra:cassandra-all",
        how = "rows read by their key",
        onlyWithAll = true)
class CassandraIT {
    @TempDir
    private Path directory;

    @Test
    @Timeout(180)
    void readsAreAccelerated() throws Exception {
        new AppsRun(arguments -> new CommandLine(new PerfCommand()).execute(arguments), directory)
                .assertAccelerated("cassandra-read");
    }
}
