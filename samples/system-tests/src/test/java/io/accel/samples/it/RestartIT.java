// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Transfer;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A listener that was killed leaves a rendezvous behind: it misleads nobody, and its successor takes its place. */
class RestartIT {
    private static final long SOME = 1L << 20;
    private static final int CYCLES = 3;

    @Test
    void successorOfAKilledListenerIsFound() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create()) {
            int port = 0;
            List<Long> entries = new ArrayList<>();
            for (int i = 0; i < CYCLES; i++) {
                try (Child sink = launch(directory.path(), "at=listen", "do=sink", "port=" + port)
                        .start("sink " + i)) {
                    port = (int) sink.awaitNumber("PORT", Ends.START);
                    transfer(directory.path(), port, sink);
                }
                try (Child victim =
                        launch(directory.path(), "at=listen", "port=" + port).start("victim " + i)) {
                    victim.awaitNumber("PORT", Ends.START);
                    victim.kill();
                }
                assertRefused(directory.path(), port);
                entries.add(ProcFs.filesBelow(directory.path()));
            }
            assertThat(entries)
                    .as("what the dead leave behind does not pile up")
                    .containsOnly(entries.get(0));
        }
    }

    private static Launch launch(Path directory, String... arguments) {
        return Launch.accelerated(Transfer.class, arguments).accel("shm.dir", directory);
    }

    private static void transfer(Path directory, int port, Child sink) {
        try (Child source =
                launch(directory, "do=source", "bytes=" + SOME, "port=" + port).start("source")) {
            source.awaitLine("CONNECTED", Ends.START);
            sink.awaitLine("CONNECTED", Ends.START);
            PathEvidence.assertAccelerated(port, 1);
            sink.send("GO");
            source.send("GO");
            sink.awaitLine("EOF " + SOME, Ends.NOTICE);
            assertThat(sink.awaitExit(Ends.NOTICE)).isZero();
        }
    }

    private static void assertRefused(Path directory, int port) {
        try (Child late = launch(directory, "port=" + port).start("connects to nobody")) {
            assertThat(late.awaitLine("FAILED ", Ends.START)).contains("java.net.ConnectException");
        }
    }
}
