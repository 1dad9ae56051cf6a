// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.artemis;

import io.accel.samples.perf.PerfCommand;
import io.accel.testing.AppsRun;
import io.accel.testing.RealProgram;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code perf apps artemis-send}, once through. */
@RealProgram(
        name = "ActiveMQ Artemis, broker and core client",
        artifact = "org.apache.artemis:artemis-server",
        how = "messages acknowledged and received one by one",
        onlyWithAll = true)
class ArtemisIT {
    @TempDir
    private Path directory;

    @Test
    @Timeout(180)
    void messagesAreAccelerated() throws Exception {
        new AppsRun(arguments -> new CommandLine(new PerfCommand()).execute(arguments), directory)
                .assertAccelerated("artemis-send");
    }
}
