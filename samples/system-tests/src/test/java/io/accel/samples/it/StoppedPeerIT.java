// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.PathEvidence;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A peer that is stopped ({@code SIGSTOP}) and continued: nothing is lost, and waiting for it costs no CPU. */
class StoppedPeerIT {
    private static final long STEP = 32L << 20;
    private static final Duration STOPPED = Duration.ofMillis(1_500);
    private static final Duration LITTLE = STOPPED.dividedBy(3);
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    @ParameterizedTest(name = "stopped: {0}, the other: {1}")
    @CsvSource({"sink, blocking", "sink, select", "source, blocking", "source, select"})
    void allBytesArrive(String stopped, String io) throws InterruptedException {
        try (Ends ends = Ends.connect(true, Side.source("io=" + io), Side.sink("io=" + io))) {
            PathEvidence.assertAccelerated(ends.port, 1);
            Child victim = stopped.equals("sink") ? ends.sink : ends.source;
            Child other = stopped.equals("sink") ? ends.source : ends.sink;
            ends.runUntilRead(STEP);

            victim.signal("STOP");
            assertThat(timeUsedAtRest(other))
                    .as("processor time of the one that waits, in %s", STOPPED)
                    .isLessThan(LITTLE);
            assertThat(other.isAlive()).isTrue();
            victim.signal("CONT");

            long read = ends.sink.latestNumber("READ").orElseThrow();
            ends.awaitRead(read + STEP);
            ends.source.send("END");
            assertThat(ends.source.awaitExit(Ends.NOTICE)).isZero();
            ends.awaitEof(ends.source.latestNumber("WROTE").orElseThrow());
        }
    }

    /** The least of several times in a row, until one is quiet: at first its compilers may have work left. */
    private static Duration timeUsedAtRest(Child child) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Duration used;
        do {
            Duration before = ProcFs.processorTime(child.pid());
            Thread.sleep(STOPPED.toMillis());
            used = ProcFs.processorTime(child.pid()).minus(before);
        } while (used.compareTo(LITTLE) >= 0 && System.nanoTime() - end < 0);
        return used;
    }

    @Test
    void connectToAStoppedListenerSucceedsAndIsServedLater() {
        long bytes = 1L << 20;
        try (Child listener = Side.sink("at=listen").start()) {
            String port = "port=" + listener.awaitNumber("PORT", Ends.START);
            listener.signal("STOP");
            Side connecting = Side.source("bytes=" + bytes, port)
                    .launched(launch -> launch.accel("connect.probe-timeout", "200ms"));
            try (Child source = connecting.start()) {
                source.awaitLine("CONNECTED", Ends.START);
                listener.signal("CONT");
                listener.awaitLine("CONNECTED", Ends.START);
                source.send("GO");
                listener.send("GO");
                listener.awaitLine("EOF " + bytes, Ends.NOTICE);
            }
        }
    }
}
