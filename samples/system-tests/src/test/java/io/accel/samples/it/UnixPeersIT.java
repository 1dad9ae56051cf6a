// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.LiveView;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unix-domain streams between processes that the agent accelerates, and with one that has no Accel. */
@Timeout(180)
class UnixPeersIT {
    private static final long SOME = 64L << 20;

    @TempDir
    private Path directory;

    private SharedDirectory shared;

    @BeforeAll
    static void lookForAccel() {
        assumeTrue(Launch.isAccel(), "is about the agent");
    }

    @BeforeEach
    void share() throws IOException {
        shared = SharedDirectory.create();
    }

    @AfterEach
    void remove() throws IOException {
        shared.close();
    }

    private Path path() {
        return directory.resolve("socket");
    }

    /** The side at the path, with the agent. */
    private Side at(Side side) {
        return side.with("path=" + path())
                .launched(Launch::byAgent)
                .launched(launch -> launch.accel("shm.dir", shared.path()));
    }

    private Ends connect(boolean sourceListens, String io, String... ofSource) {
        Side source = Side.source(ofSource).with("io=" + io);
        return Ends.connect(sourceListens, at(source), at(Side.sink("io=" + io)));
    }

    @ParameterizedTest(name = "source listens: {0}, {1}")
    @CsvSource({"true, blocking", "true, select", "false, blocking", "false, select"})
    void bothEndsByTheAgent(boolean sourceListens, String io) {
        try (Ends ends = connect(sourceListens, io)) {
            ends.runUntilRead(SOME);
            awaitAccelerated(ends);
            for (Child end : List.of(ends.source, ends.sink)) {
                boolean isServer = (end == ends.source) == sourceListens;
                JsonObject seen = connection(end);
                assertThat(LiveView.text(seen, "role")).isEqualTo(isServer ? "server" : "client");
                assertThat(LiveView.text(seen, "reason")).isEmpty();
                assertThat(LiveView.text(seen, isServer ? "local" : "remote")).isEqualTo(path().toString());
            }
            ends.source.send("END");
            String end = ends.sink.awaitLine("EOF", Ends.NOTICE);
            assertThat(ends.source.awaitExit(Ends.NOTICE)).isZero();
            assertThat(end).isEqualTo("EOF " + ends.source.latestNumber("WROTE").orElseThrow());
            assertThat(ends.sink.awaitExit(Ends.NOTICE)).isZero();
        }
    }

    @ParameterizedTest(name = "source listens: {0}, sink: {1}")
    @CsvSource({"true, blocking", "true, select", "false, blocking", "false, select"})
    void sinkGetsWhatAKilledSourceHadWritten(boolean sourceListens, String io) {
        try (Ends ends = connect(sourceListens, io)) {
            ends.runUntilRead(SOME);
            awaitAccelerated(ends);
            ends.source.kill();
            ends.awaitSinkNotices();
        }
    }

    @ParameterizedTest(name = "source listens: {0}, source: {1}")
    @CsvSource({"true, blocking", "true, select", "false, blocking", "false, select"})
    void sourceFailsWhenItsSinkIsKilled(boolean sourceListens, String io) {
        try (Ends ends = connect(sourceListens, io)) {
            ends.runUntilRead(SOME);
            awaitAccelerated(ends);
            ends.sink.kill();
            ends.awaitSourceNotices();
        }
    }

    @ParameterizedTest(name = "source listens: {0}, source has Accel: {1}")
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void oneEndWithoutAccel(boolean sourceListens, boolean sourceHasAccel) {
        Side source = at(Side.source("bytes=" + SOME, "end=wait"));
        Side sink = at(Side.sink());
        try (Ends ends = Ends.connect(
                sourceListens, sourceHasAccel ? source : source.plain(), sourceHasAccel ? sink.plain() : sink)) {
            ends.runUntilRead(SOME / 2);
            assertThat(rings(ends)).isZero();
            Child accelerated = sourceHasAccel ? ends.source : ends.sink;
            JsonObject seen = connection(accelerated);
            assertThat(LiveView.text(seen, "path")).isEqualTo("kernel");
            assertThat(LiveView.text(seen, "reason")).isEqualTo("PEER_NOT_ACCELERATED");
            endWhenAllIsWritten(ends);
        }
    }

    @ParameterizedTest(name = "at the {0}")
    @ValueSource(strings = {"client", "server"})
    void aRuleLeavesThemToTheKernel(String role) {
        String rule = "kernel " + role + " unix:" + directory + "/*";
        Side source = at(Side.source("bytes=" + SOME, "end=wait"));
        Side sink = at(Side.sink());
        boolean isSources = role.equals("server");
        try (Ends ends = Ends.connect(
                true,
                isSources ? source.launched(launch -> launch.accel("rule.1", rule)) : source,
                isSources ? sink : sink.launched(launch -> launch.accel("rule.1", rule)))) {
            ends.runUntilRead(SOME / 2);
            assertThat(rings(ends)).isZero();
            assertThat(LiveView.text(connection(isSources ? ends.source : ends.sink), "reason"))
                    .isEqualTo("RULE");
            endWhenAllIsWritten(ends);
        }
    }

    @Test
    void theSettingLeavesThemToTheJdk() {
        Side source = at(Side.source("bytes=" + SOME, "end=wait"));
        Side sink = at(Side.sink()).launched(launch -> launch.accel("unix.streams", false));
        try (Ends ends = Ends.connect(true, source, sink)) {
            ends.runUntilRead(SOME / 2);
            assertThat(rings(ends)).isZero();
            endWhenAllIsWritten(ends);
        }
    }

    /** The connection cannot be accelerated, whatever it carries. */
    @Test
    void aClientThatMustBeAcceleratedIsRefusedByAServerWithoutAccel() {
        Side failing = at(Side.sink()).launched(launch -> launch.accel("fallback", "fail"));
        try (Child server = at(Side.source()).plain().with("at=listen").start()) {
            server.awaitLine("PORT", Ends.START);
            try (Child client = failing.with("at=connect").start()) {
                assertThat(client.awaitLine("FAILED", Ends.START))
                        .startsWith("FAILED 0 java.net.ConnectException not accelerated, and fallback=fail:"
                                + " PEER_NOT_ACCELERATED: ");
                assertThat(client.awaitExit(Ends.NOTICE)).isZero();
            }
        }
    }

    @Test
    void aClientThatMustBeAcceleratedIsServedByOneWithAccel() {
        Side failing = at(Side.sink()).launched(launch -> launch.accel("fallback", "fail"));
        try (Ends ends = Ends.connect(true, at(Side.source()), failing)) {
            ends.runUntilRead(SOME);
            awaitAccelerated(ends);
            ends.sink.kill();
            ends.awaitSourceNotices();
        }
    }

    private static void endWhenAllIsWritten(Ends ends) {
        String all = "WROTE " + SOME;
        assertThat(ends.source.awaitLine("all", all::equals, Ends.START)).isEqualTo(all);
        ends.source.send("END");
        ends.awaitEof(SOME);
    }

    private static void awaitAccelerated(Ends ends) {
        await().atMost(Ends.START)
                .untilAsserted(() -> assertThat(rings(ends)).as("rings of both").isEqualTo(2));
    }

    /** How many files of connections the two have mapped: with one connection two, or none. */
    private static long rings(Ends ends) {
        return ProcFs.ringsBelow(ends.source.pid()) + ProcFs.ringsBelow(ends.sink.pid());
    }

    /** The only connection of a process, as {@code accel stats} has it. */
    private JsonObject connection(Child process) {
        return LiveView.onlyConnection(LiveView.with(shared.path(), process), process);
    }
}
