package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Child;
import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.ProcFs;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Station;
import io.accel.samples.it.programs.Thief;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A process of the same user that names another's connection at a rendezvous gets no link of it, and that goes on undisturbed. */
class ThiefIT {
    private static final int BAD_HANDSHAKE = 11;
    private static final int PENDING = -2;

    @BeforeAll
    static void isAboutAccel() {
        assumeTrue(Launch.isAccel(), "is about Accel's handshake");
    }

    @Test
    void aConnectionThatHasItsLinkIsRefused() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = station(directory.path(), "server");
                Child client = station(directory.path(), "client")) {
            long port = server.latestNumber("PORT").orElseThrow();
            long from = connect(client, port, 1);
            try (Child thief = thief(directory.path(), port, from, port)) {
                assertThat(thief.awaitNumber("STATUS", Ends.START)).isEqualTo(BAD_HANDSHAKE);
                thief.awaitLine("HUNG UP", Ends.START);
            }
            assertGoesOn(server, client);
            assertThat(connect(client, port, 2)).isNotEqualTo(from);
        }
    }

    /** It is not that listener's connection, which its program might accept yet, for all that is known there. */
    @Test
    void atAnotherListenerItWaitsInVain() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = station(directory.path(), "server");
                Child other = station(directory.path(), "another server");
                Child client = station(directory.path(), "client")) {
            long port = server.latestNumber("PORT").orElseThrow();
            long others = other.latestNumber("PORT").orElseThrow();
            long from = connect(client, port, 1);
            try (Child thief = thief(directory.path(), others, from, port)) {
                assertThat(thief.awaitNumber("STATUS", Ends.START)).isEqualTo(PENDING);
                assertGoesOn(server, client);
                assertThat(connect(client, others, 2)).isPositive();
                assertThat(thief.latestNumber("STATUS")).as(thief.output()).hasValue((long) PENDING);
            }
        }
    }

    private static Child station(Path directory, String name) {
        Child station = Launch.accelerated(Station.class)
                .accel("shm.dir", directory)
                .accel("handover.after", "connect")
                .accel("fallback", "fail")
                .start(name);
        try {
            assertThat(station.awaitNumber("PORT", Ends.START)).isPositive();
            return station;
        } catch (AssertionError e) {
            station.close();
            throw e;
        }
    }

    private static Child thief(Path directory, long listener, long from, long to) {
        return Launch.plain(Thief.class, "dir=" + directory, "listener=" + listener, "from=" + from, "to=" + to)
                .start("thief");
    }

    /** Opens a connection; the port that it comes from. */
    private static long connect(Child client, long port, int ringsThen) {
        client.send("CONNECT 127.0.0.1 " + port + " 1");
        assertThat(client.awaitNumber("CONNECTED", Ends.START)).isEqualTo(1);
        client.send("LATEST");
        long from = client.awaitNumber("FROM", Ends.START);
        ask(client);
        await().atMost(Ends.START)
                .untilAsserted(() -> assertThat(ProcFs.ringsBelow(client.pid())).isEqualTo(ringsThen));
        return from;
    }

    private static void ask(Child client) {
        client.send("ASK 1");
        assertThat(client.awaitLine("ANSWERED ", Ends.START)).isEqualTo("ANSWERED 0=1");
    }

    /** Bytes go both ways, and by the same link. */
    private static void assertGoesOn(Child server, Child client) {
        ask(client);
        assertThat(ProcFs.ringsBelow(client.pid())).isEqualTo(1);
        assertThat(ProcFs.ringsBelow(server.pid())).isEqualTo(1);
        assertThat(server.output()).doesNotContain("FAILED");
    }
}
