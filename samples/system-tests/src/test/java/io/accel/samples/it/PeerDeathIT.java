// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.PathEvidence;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import io.accel.testing.SettledCount;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The view of one end when the other's process ends: by {@code kill -9}, by itself, or by an interrupt of its thread. */
class PeerDeathIT {
    private static final long SOME = 64L << 20;
    private static final Duration EXIT = Duration.ofSeconds(30);

    @ParameterizedTest(name = "source listens: {0}, sink: {1}, signal: {2}")
    @CsvSource({"true, blocking, KILL", "true, select, KILL", "false, blocking, KILL", "false, select, TERM"})
    void sinkGetsWhatAKilledSourceHadWritten(boolean sourceListens, String io, String signal) {
        try (Ends ends = Ends.connect(sourceListens, Side.source(), Side.sink("io=" + io))) {
            PathEvidence.assertAccelerated(ends.port, 1);
            ends.runUntilRead(SOME);
            ends.source.signal(signal);
            ends.source.awaitExit(EXIT);
            ends.awaitSinkNotices();
        }
    }

    @ParameterizedTest(name = "source listens: {0}, source: {1}, signal: {2}")
    @CsvSource({"true, blocking, KILL", "true, select, KILL", "false, blocking, KILL", "false, select, TERM"})
    void sourceFailsWhenItsSinkIsKilled(boolean sourceListens, String io, String signal) {
        try (Ends ends = Ends.connect(sourceListens, Side.source("io=" + io), Side.sink())) {
            PathEvidence.assertAccelerated(ends.port, 1);
            ends.runUntilRead(SOME);
            ends.sink.signal(signal);
            ends.awaitSourceNotices();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "select"})
    void sourceThatWaitsForRoomFailsWhenItsSinkIsKilled(String io) {
        try (Ends ends = Ends.connect(true, Side.source("io=" + io), Side.sink())) {
            ends.source.send("GO");
            awaitRest(ends.source);
            assertThat(ends.source.isAlive()).isTrue();
            ends.sink.kill();
            ends.awaitSourceNotices();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "select"})
    void sinkThatWaitsForBytesNoticesThatItsSourceIsKilled(String io) {
        try (Ends ends = Ends.connect(false, Side.source(), Side.sink("io=" + io))) {
            ends.sink.send("GO");
            awaitRest(ends.sink);
            assertThat(ends.sink.isAlive()).isTrue();
            ends.source.kill();
            ends.awaitSinkNotices();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "select"})
    void allBytesArriveFromASourceThatExitsWithoutClosing(String io) {
        Side source = Side.source("io=" + io, "bytes=" + SOME, "end=exit");
        try (Ends ends = Ends.connect(false, source, Side.sink("io=" + io))) {
            ends.sink.send("GO");
            ends.source.send("GO");
            ends.awaitEof(SOME);
            assertThat(ends.source.awaitExit(EXIT)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "select"})
    void allBytesArriveThoughTheSourceHasExitedBeforeTheFirstIsRead(String io) {
        try (Ends ends = Ends.connect(true, Side.fill("end=exit"), Side.sink("io=" + io))) {
            ends.source.send("GO");
            long written = ends.source.awaitNumber("WROTE", Ends.NOTICE);
            assertThat(ends.source.awaitExit(EXIT)).isZero();
            assertThat(written).isPositive();
            ends.sink.send("GO");
            ends.awaitEof(written);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "select"})
    void allBytesArriveThoughTheSourceIsKilledBeforeTheFirstIsRead(String io) {
        try (Ends ends = Ends.connect(false, Side.fill("end=wait"), Side.sink("io=" + io))) {
            ends.source.send("GO");
            long written = ends.source.awaitNumber("WROTE", Ends.NOTICE);
            assertThat(written).isPositive();
            ends.source.kill();
            ends.sink.send("GO");
            ends.awaitEof(written);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "select"})
    void sourceHearsTheSinkCloseAfterAHalfClose(String io) {
        Side source = Side.source("io=" + io, "bytes=1000001", "end=shutdown");
        try (Ends ends = Ends.connect(false, source, Side.sink("io=" + io))) {
            ends.sink.send("GO");
            ends.source.send("GO");
            ends.awaitEof(1_000_001);
            assertThat(ends.source.awaitNumber("PEER", Ends.NOTICE)).isEqualTo(-1);
        }
    }

    @Test
    void interruptedSinkEndsTheConnection() {
        try (Ends ends = Ends.connect(true, Side.source(), Side.sink())) {
            ends.runUntilRead(SOME);
            ends.sink.send("INTERRUPT");
            assertThat(ends.sink.awaitLine("FAILED ", Ends.NOTICE)).contains("ClosedByInterruptException");
            ends.awaitSourceNotices();
        }
    }

    @Test
    void interruptedSourceEndsTheConnection() {
        try (Ends ends = Ends.connect(true, Side.source(), Side.sink())) {
            ends.source.send("GO");
            awaitRest(ends.source);
            ends.source.send("INTERRUPT");
            assertThat(ends.source.awaitLine("FAILED ", Ends.NOTICE)).contains("ClosedByInterruptException");
            ends.sink.send("GO");
            ends.awaitSinkNotices();
        }
    }

    /** Its process uses no processor time any more. */
    private static void awaitRest(Child waiting) {
        long unused = SettledCount.of(() -> ProcFs.processorTime(waiting.pid()).toMillis());
    }
}
