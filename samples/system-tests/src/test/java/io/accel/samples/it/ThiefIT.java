// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Station;
import io.accel.samples.it.programs.Thief;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A process of the same user that names another's connection at a rendezvous. If the connection has its link, it goes on undisturbed; if
 * it has none, the process gets the link, as docs/SECURITY.md says.
 */
class ThiefIT {
    private static final int BAD_HANDSHAKE = 11;
    private static final int PENDING = -2;
    /** The answer of a server that a thief listens to. */
    private static final int NAME = 7;

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

    /** It is not that listener's connection, but for all that the listener knows its program might still accept it. */
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

    /**
     * From then on the thief gets the server's bytes, and the client gets one byte that no program has sent, and nothing more. Its own
     * request for a link is refused. Other connections do not notice, nor those that come later.
     */
    @Test
    void oneThatHasNoLinkYetIsTheThiefsIfItAsksFirst() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child server = station(directory.path(), "server", "connect", "name=" + NAME);
                Child other = station(directory.path(), "another client");
                Child client = station(directory.path(), "client", "3/1GiB")) {
            long port = server.latestNumber("PORT").orElseThrow();
            long others = connect(other, port, 1, NAME);
            client.send("CONNECT 127.0.0.1 " + port + " 1");
            assertThat(client.awaitNumber("CONNECTED", Ends.START)).isEqualTo(1);
            client.send("LATEST");
            long from = client.awaitNumber("FROM", Ends.START);
            ask(client, NAME);
            assertThat(ProcFs.ringsBelow(client.pid())).isZero();
            try (Child thief = thief(directory.path(), port, from, port, "take=1")) {
                thief.awaitLine("TAKEN", Ends.START);
                assertThat(answer(client)).as("by the client").isNotEqualTo("ANSWERED " + NAME + "=1");
                assertThat(thief.awaitNumber("GOT", Ends.START)).isEqualTo(NAME);
                await().atMost(Ends.START)
                        .untilAsserted(() -> assertThat(client.output()).contains("BAD_HANDSHAKE"));
                assertThat(ProcFs.ringsBelow(client.pid())).isZero();
                ask(other, NAME);
                assertThat(connect(other, port, 2, NAME)).isNotEqualTo(others);
            }
            ask(other, NAME);
            assertThat(connect(other, port, 3, NAME)).isPositive();
        }
    }

    private static String answer(Child client) {
        client.send("ASK 1");
        return client.awaitLine("ANSWERED ", Ends.START);
    }

    private static Child station(Path directory, String name) {
        return station(directory, name, "connect");
    }

    private static Child station(Path directory, String name, String after, String... arguments) {
        Launch launch = Launch.accelerated(Station.class, arguments)
                .accel("shm.dir", directory)
                .accel("log.connections", true)
                .accel("handover.after", after);
        Child station = (after.equals("connect") ? launch.accel("fallback", "fail") : launch).start(name);
        try {
            assertThat(station.awaitNumber("PORT", Ends.START)).isPositive();
            return station;
        } catch (AssertionError e) {
            station.close();
            throw e;
        }
    }

    private static Child thief(Path directory, long listener, long from, long to) {
        return thief(directory, listener, from, to, "take=0");
    }

    private static Child thief(Path directory, long listener, long from, long to, String take) {
        return Launch.plain(Thief.class, "dir=" + directory, "listener=" + listener, "from=" + from, "to=" + to, take)
                .start("thief");
    }

    /** Opens a connection; the port that it comes from. */
    private static long connect(Child client, long port, int ringsThen) {
        return connect(client, port, ringsThen, 0);
    }

    private static long connect(Child client, long port, int ringsThen, int name) {
        client.send("CONNECT 127.0.0.1 " + port + " 1");
        assertThat(client.awaitNumber("CONNECTED", Ends.START)).isEqualTo(1);
        client.send("LATEST");
        long from = client.awaitNumber("FROM", Ends.START);
        ask(client, name);
        await().atMost(Ends.START)
                .untilAsserted(() -> assertThat(ProcFs.ringsBelow(client.pid())).isEqualTo(ringsThen));
        return from;
    }

    private static void ask(Child client, int name) {
        assertThat(answer(client)).isEqualTo("ANSWERED " + name + "=1");
    }

    /** Bytes go both ways, over the same link. */
    private static void assertGoesOn(Child server, Child client) {
        ask(client, 0);
        assertThat(ProcFs.ringsBelow(client.pid())).isEqualTo(1);
        assertThat(ProcFs.ringsBelow(server.pid())).isEqualTo(1);
        assertThat(server.output()).doesNotContain("FAILED");
    }
}
