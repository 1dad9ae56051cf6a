// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.programs.Station;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The kernel decides which ends are connected, and Accel follows: listeners of several processes that share a port, a process that
 * takes another's place, two that connect to each other at once, and more connections than there are ports.
 */
@Timeout(120)
class StationsIT {
    private static final String HERE = "127.0.0.1";
    private static final Duration SOON = Duration.ofSeconds(30);
    /** A client that asked in vain asks again after a pause that is longer each time: five pauses. */
    private static final Duration MANY_PAUSES = Duration.ofSeconds(90);

    private static final int LISTENERS = 4;
    private static final int MANY = 200;
    private static final int SOME = 20;
    private static final int OLD = 1;
    private static final int NEW = 2;
    // A port outside of the range of clients' ports.
    private static final int SERVICE = 30_000;
    private static final int FIRST_PORT = 40_000;
    private static final int PORTS = 100;
    private static final List<String> DESTINATIONS = List.of(HERE, "127.0.0.2", "127.0.0.3");

    /** On Accel's provider connections have moved when they are there, or are not made. */
    private static Launch station(String... arguments) {
        return Launch.accelerated(Station.class, arguments)
                .accel("handover.after", "connect")
                .accel("fallback", "fail");
    }

    private static int start(List<Child> all, int name, int port) {
        Child station = station("name=" + name, "port=" + port).start("station " + name);
        all.add(station);
        return (int) station.awaitNumber("PORT", Ends.START);
    }

    private static void connect(Child from, String host, int port, int count) {
        from.send("CONNECT " + host + " " + port + " " + count);
        assertThat(from.awaitNumber("CONNECTED", SOON)).as(from.output()).isEqualTo(count);
    }

    private static String ask(Child client, int latest) {
        client.send("ASK " + latest);
        return client.awaitLine("ANSWERED ", SOON).substring("ANSWERED ".length());
    }

    private static long accepted(Child station) {
        station.send("COUNT");
        return station.awaitNumber("ACCEPTED", SOON);
    }

    private static void assertRings(Child station, int count) {
        await().atMost(SOON).untilAsserted(() -> assertThat(ProcFs.ringsBelow(station.pid()))
                .as("rings of %s", station)
                .isEqualTo(Launch.isAccel() ? count : 0));
    }

    /** A connection that its listener had not accepted when it asked for its faster path asks again when there is traffic. */
    private static void assertAllMove(Child client, int count) {
        await().atMost(MANY_PAUSES).untilAsserted(() -> {
            String unused = ask(client, count);
            assertThat(ProcFs.ringsBelow(client.pid()))
                    .as("rings of %s", client)
                    .isEqualTo(Launch.isAccel() ? count : 0);
        });
    }

    private static void closeAll(List<Child> stations) {
        stations.forEach(Child::close);
    }

    /** The kernel will not, in the life of the universe, give none of so many connections to one of four listeners. */
    @Test
    @Timeout(240)
    void listenersThatShareAPortShareItsConnections() {
        List<Child> all = new ArrayList<>();
        try {
            int port = 0;
            for (int i = 0; i < LISTENERS; i++) {
                port = start(all, i, port);
            }
            int unused = start(all, LISTENERS, 0);
            Child client = all.get(LISTENERS);
            connect(client, HERE, port, MANY);
            String[] answers = ask(client, MANY).split(" ", -1);
            assertThat(answers).as("those that got some").hasSize(LISTENERS);
            assertAllMove(client, MANY);
            for (int i = 0; i < LISTENERS; i++) {
                assertThat(answers[i]).isEqualTo(i + "=" + accepted(all.get(i)));
                assertRings(all.get(i), (int) accepted(all.get(i)));
            }
        } finally {
            closeAll(all);
        }
    }

    @Test
    @Timeout(240)
    void aSuccessorTakesThePortFromOneThatLives() {
        List<Child> all = new ArrayList<>();
        try {
            int port = start(all, OLD, 0);
            int unused = start(all, 0, 0);
            Child client = all.get(1);
            connect(client, HERE, port, SOME);
            assertAllMove(client, SOME);
            assertThat(start(all, NEW, port)).isEqualTo(port);
            connect(client, HERE, port, SOME); // to either
            assertAllMove(client, 2 * SOME);
            // A connection that is given to the old listener at the last moment is lost, with Accel as without.
            await().atMost(SOON).until(() -> accepted(all.get(0)) + accepted(all.get(2)) == 2 * SOME);
            all.get(0).send("CLOSE");
            all.get(0).awaitLine("CLOSED", SOON);
            connect(client, HERE, port, SOME);
            assertRings(client, 3 * SOME); // by the first attempt: without traffic there is no second one
            assertThat(ask(client, SOME)).isEqualTo(NEW + "=" + SOME);
            long ofTheOld = accepted(all.get(0));
            assertThat(ofTheOld).isGreaterThanOrEqualTo(SOME);
            assertRings(all.get(0), (int) ofTheOld);
            assertThat(ask(client, 3 * SOME)).isEqualTo(OLD + "=" + ofTheOld + " " + NEW + "=" + (3 * SOME - ofTheOld));
        } finally {
            closeAll(all);
        }
    }

    @Test
    void twoThatConnectToEachOtherAtOnceBothGetThrough() {
        List<Child> all = new ArrayList<>();
        try {
            int first = start(all, 1, 0);
            int second = start(all, 2, 0);
            all.get(0).send("CONNECT " + HERE + " " + second + " " + MANY);
            connect(all.get(1), HERE, first, MANY);
            assertThat(all.get(0).awaitNumber("CONNECTED", SOON)).isEqualTo(MANY);
            assertThat(ask(all.get(0), MANY)).isEqualTo("2=" + MANY);
            assertThat(ask(all.get(1), MANY)).isEqualTo("1=" + MANY);
            assertRings(all.get(0), 2 * MANY);
            assertRings(all.get(1), 2 * MANY);
        } finally {
            closeAll(all);
        }
    }

    /** The same port serves connections to different destinations, as without Accel. */
    @Test
    void thereAreAsManyConnectionsAsTheKernelHasPortsForEachDestination() {
        assumeTrue(Launch.isAccel(), "compares Accel with the JDK");
        assumeTrue(Launch.hasContainers(), "needs the right to make a network, and to say which ports it has");
        String[] server = {"host=0.0.0.0", "port=" + SERVICE};
        String[] client = {"host=" + HERE, "port=" + (SERVICE + 1)};
        List<Long> plain = openAll(Launch.plain(Station.class, server), Launch.plain(Station.class, client), false);
        assertThat(plain).containsOnly((long) PORTS);
        assertThat(openAll(station(server), station(client), true)).isEqualTo(plain);
    }

    /** How many connections there may be to each destination, one after the other. */
    private static List<Long> openAll(Launch serving, Launch connecting, boolean accelerated) {
        try (Child server =
                serving.inNetworkWithPorts(FIRST_PORT, FIRST_PORT + PORTS - 1).start("the server with few ports")) {
            assertThat(server.awaitNumber("PORT", Ends.START)).isEqualTo(SERVICE);
            try (Child client = connecting.inNetworkOf(server).start("the client with few ports")) {
                long unused = client.awaitNumber("PORT", Ends.START);
                List<Long> opened = new ArrayList<>();
                for (String destination : DESTINATIONS) {
                    client.send("CONNECT " + destination + " " + SERVICE + " " + 2 * PORTS);
                    opened.add(client.awaitNumber("CONNECTED", SOON));
                }
                int all = (int) opened.stream().mapToLong(each -> each).sum();
                assertThat(client.output()).contains("Cannot assign requested address");
                assertThat(ask(client, all)).isEqualTo("0=" + all);
                assertRings(client, accelerated ? all : 0);
                return opened;
            }
        }
    }
}
