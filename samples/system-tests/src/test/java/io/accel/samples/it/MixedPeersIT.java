// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.harness.ReadableCopy;
import io.accel.samples.it.harness.SharedDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Peers that cannot share memory, one without Accel or of another user, talk through the kernel; users of one group share it. */
class MixedPeersIT {
    private static final long SOME = 32L << 20;
    private static final String OTHER_USER = "nobody";
    private static final String OTHER_GROUP = "nogroup";
    private static final String THIRD_USER = "daemon";
    /** A group that has no name on this machine. */
    private static final String GROUP = "10001";

    @TempDir
    private Path directory;

    @ParameterizedTest(name = "source listens: {0}, source has Accel: {1}, {2}")
    @CsvSource({
        "true, true, blocking", "true, false, blocking", "false, true, blocking", "false, false, blocking",
        "true, true, select", "true, false, select", "false, true, select", "false, false, select"
    })
    void oneEndWithoutAccel(boolean sourceListens, boolean sourceHasAccel, String io) {
        Side source = Side.source("io=" + io, "bytes=" + SOME);
        Side sink = Side.sink("io=" + io);
        transferByKernel(sourceListens, sourceHasAccel ? source : source.plain(), sourceHasAccel ? sink.plain() : sink);
    }

    @Test
    void bothEndsWithAccel() {
        try (Ends ends = Ends.connect(true, Side.source("bytes=" + SOME), Side.sink())) {
            PathEvidence.assertAccelerated(ends.port, 1);
            finish(ends);
        }
    }

    @ParameterizedTest(name = "the other user listens: {0}")
    @CsvSource({"true", "false"})
    void anotherUsersProcess(boolean otherListens) throws IOException {
        assumeTrue(
                "root".equals(System.getProperty("user.name")),
                "needs root, to start a process as the user " + OTHER_USER);
        ReadableCopy copy = ReadableCopy.in(directory);
        UnaryOperator<Launch> asOther = launch -> copy.launchedAs(OTHER_USER, OTHER_GROUP, launch);
        // A directory in which both users may look, so that the directory does not keep them apart.
        UnaryOperator<Launch> meeting = launch -> launch.accel("shm.dir", "/dev/shm");
        transferByKernel(
                otherListens,
                Side.source("bytes=" + SOME).launched(asOther).launched(meeting),
                Side.sink().launched(meeting));
    }

    /** As in a pod, whose containers run as users of their own and know the volume's group only by its number. */
    @ParameterizedTest(name = "the other user listens: {0}")
    @CsvSource({"true", "false"})
    void anotherUsersProcessOfOneGroup(boolean otherListens) throws IOException {
        assumeTrue(
                "root".equals(System.getProperty("user.name")),
                "needs root, to start processes as the users " + OTHER_USER + " and " + THIRD_USER);
        ReadableCopy copy = ReadableCopy.in(directory);
        try (SharedDirectory shared = SharedDirectory.create()) {
            Files.setAttribute(shared.path(), "unix:mode", 01777); // as that of /dev/shm
            UnaryOperator<Launch> meeting =
                    launch -> launch.accel("shm.dir", shared.path()).accel("shm.group", GROUP);
            Side source = Side.source("bytes=" + SOME)
                    .launched(launch -> copy.launchedAs(OTHER_USER, GROUP, launch))
                    .launched(meeting);
            Side sink = Side.sink()
                    .launched(launch -> copy.launchedAs(THIRD_USER, GROUP, launch))
                    .launched(meeting);
            try (Ends ends = Ends.connect(otherListens, source, sink)) {
                PathEvidence.assertAccelerated(ends.port, 1);
                finish(ends);
            }
        }
    }

    private static void transferByKernel(boolean sourceListens, Side source, Side sink) {
        try (Ends ends = Ends.connect(sourceListens, source, sink)) {
            PathEvidence.assertKernel(ends.port, 1);
            finish(ends);
        }
    }

    private static void finish(Ends ends) {
        ends.sink.send("GO");
        ends.source.send("GO");
        ends.awaitEof(SOME);
    }
}
