// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.harness.SharedDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** If no shared memory is left, new connections go through the kernel, and accelerated ones go on. */
class SharedMemoryFullIT {
    private static final long SOME = 32L << 20;

    @Test
    void connectionGoesByTheKernelWhereItsMemoryDoesNotFit() throws IOException, InterruptedException {
        try (SharedDirectory tiny = SharedDirectory.ofSize("64k");
                Ends ends = connect(tiny.path())) {
            PathEvidence.assertKernel(ends.port, 1);
            transfer(ends);
        }
    }

    @Test
    void connectionThatHasItsMemoryGoesOnWhenNoneIsLeft() throws IOException, InterruptedException {
        try (SharedDirectory small = SharedDirectory.ofSize("8m");
                Ends first = connect(small.path())) {
            PathEvidence.assertAccelerated(first.port, 1);
            Ballast.fill(small.path());
            try (Ends second = connect(small.path())) {
                PathEvidence.assertKernel(second.port, 1);
                transfer(second);
            }
            transfer(first);
        }
    }

    private static Ends connect(Path directory) {
        return Ends.connect(
                true,
                Side.source("bytes=" + SOME).launched(launch -> launch.accel("shm.dir", directory)),
                Side.sink().launched(launch -> launch.accel("shm.dir", directory)));
    }

    private static void transfer(Ends ends) {
        ends.sink.send("GO");
        ends.source.send("GO");
        ends.awaitEof(SOME);
    }
}
