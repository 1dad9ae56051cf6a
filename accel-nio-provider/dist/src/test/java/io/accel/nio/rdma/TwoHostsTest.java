// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of a network between two hosts, and their effect on connections. Every byte goes over RDMA: a fall-back is a
 * program's failure. The kernel's tools make the faults, on the interface that carries RoCE.
 */
@EnabledIfSystemProperty(
        named = "lab.agent",
        matches = ".*",
        disabledReason = "needs two hosts: samples/lab/two-hosts runs this in the lab")
@Timeout(900)
class TwoHostsTest {
    /** How long a program talks at least: the retries, the keep-alive, and a guest's slowness. It ends when it is told to. */
    private static final int TALK_MILLIS = 20_000;
    /** The time until a program no longer runs code for the first time. */
    private static final long WARM_MILLIS = 3_000;
    /** The time beyond a round trip's before. Less than any time-out of the connection manager's; the time seen is printed. */
    private static final double MOST_OVER_REMOVAL_MILLIS = 3_000;

    /** With {@link #HASTY}, more than a device takes to give up on the way to its peer. */
    private static final long UNTIL_BROKEN_MILLIS = 6_000;

    private static final String[] PATIENT = {"-Daccel.rdma.ack-timeout=500ms", "-Daccel.rdma.keepalive=1s"};
    private static final String[] HASTY = {"-Daccel.rdma.ack-timeout=64ms", "-Daccel.rdma.keepalive=1s"};

    /** Nothing but the heartbeat that a program could see would cross the link, and that is far apart. */
    private static final String[] QUIET = {"-Daccel.rdma.keepalive=1min"};

    /** The exceptions of a program whose connection has broken: timing decides whether a read or a write throws. */
    private static final String ENDED = "^java\\.(net\\.SocketException: Connection reset"
            + "|io\\.IOException: (Connection (reset by peer|timed out)|Broken pipe))";

    /** Runs of the same thing differ by half, and more on a busy machine; the times seen are printed. */
    private static final double MOST_BESIDE_COLD = 2;

    private static final String CUT = "tc qdisc add dev eth0 root netem loss 100%";
    private static final long PATIENCE_NANOS = 40_000_000_000L;

    private static final int MILLIS_BETWEEN_TRIPS = 20;
    /** More than the connection manager and the handshake of a busy guest may take together. */
    private static final long MOST_UNTIL_PATH_NANOS = 130_000_000_000L;

    private static OtherHost other;

    @BeforeAll
    @Timeout(600) // the class's timeout is for its tests, and the other host may still be starting
    static void meet() throws Exception {
        other = new OtherHost();
    }

    @AfterAll
    static void part() throws Exception {
        other.close();
    }

    @AfterEach
    void mend() throws Exception {
        String mended = "tc qdisc del dev eth0 root 2>/dev/null; ip link set eth0 up; ip link set plug up";
        HostAgent.shell(mended);
        other.shell(mended);
    }

    private static Program client(String[] options, String port, Object... arguments) throws Exception {
        List<Object> all = new ArrayList<>(List.of(other.address(), port));
        all.addAll(List.of(arguments));
        return Program.start(List.of(options), NioClient.class, all.toArray());
    }

    @Test
    void lossAndReorderingCostTimeAndNoByte() throws Exception {
        String port = other.serve(PATIENT);
        String worse = "tc qdisc add dev eth0 root netem delay 500us loss 2% reorder 3%";
        HostAgent.shell(worse);
        other.shell(worse);
        try (Program first = client(PATIENT, port, "bulk", 1, 1_500_000);
                Program second = client(PATIENT, port, "bulk", 2, 1_500_000)) {
            first.await("bulk 1500000 B: all came back");
            second.await("bulk 1500000 B: all came back");
            first.awaitSuccess();
            second.awaitSuccess();
        }
        String seen = HostAgent.shell("tc -s qdisc show dev eth0") + other.shell("tc -s qdisc show dev eth0");
        assertThat(seen).as("packets were lost").containsPattern("dropped [1-9]");
    }

    /** The client's last message of a handshake never arrives, but its bytes do, and replace it. */
    @Test
    void aLostConfirmationCostsNoConnection() throws Exception {
        String port = other.serve(PATIENT);
        HostAgent.shell("tc qdisc add dev eth0 root handle 1: prio && tc filter add dev eth0 parent 1: protocol ip u32"
                + " match ip protocol 17 0xff match u16 4791 0xffff at 22 match u8 0x64 0xff at 28" // RoCE, datagrams
                + " match u8 0x07 0xff at 49 match u16 0x0014 0xffff at 64 action drop"); // ready to use
        try (Program client = client(PATIENT, port, "ping", 64, 3)) {
            client.await("ping 64 B");
            client.awaitSuccess();
        }
        assertThat(HostAgent.shell("tc -s filter show dev eth0"))
                .as("confirmations were lost")
                .containsPattern("dropped [1-9]");
    }

    /** The type of service of both ends' packets, set by the profile of the end that connects, or else by its program. */
    @ParameterizedTest
    @CsvSource({"-Daccel.rdma.tos=104, 104", "-Dtos=72, 72", "-Dtos=72 -Daccel.rdma.tos=104, 104"})
    void packetsHaveTheirTypeOfService(String options, int tos) throws Exception {
        String port = other.serve(PATIENT);
        String counted =
                "tc qdisc add dev eth0 root handle 1: prio && tc filter add dev eth0 parent 1: protocol ip prio 1 u32"
                        + " match ip protocol 17 0xff match ip tos " + tos + " 0xff action pass";
        HostAgent.shell(counted);
        other.shell(counted);
        try (Program client = client(options.split(" ", -1), port, "ping", 64, 50)) {
            client.await("ping 64 B");
            client.awaitSuccess();
        }
        String many = "Sent \\d+ bytes [1-9]\\d{2,} pkt";
        assertThat(HostAgent.shell("tc -s filter show dev eth0")).containsPattern(many);
        assertThat(other.shell("tc -s filter show dev eth0")).containsPattern(many);
    }

    @Test
    void aShortOutageIsSurvived() throws Exception {
        String port = other.serve(PATIENT);
        try (Program bulk = client(PATIENT, port, "bulk", 3, 4_000_000)) {
            bulk.await("begun");
            HostAgent.shell(CUT + " && sleep 1 && tc qdisc del dev eth0 root");
            bulk.await("bulk 4000000 B: all came back");
            bulk.awaitSuccess();
        }
    }

    /** Nothing was under way, so nothing is lost: the connection goes on when the link is back, whoever took it down. */
    @Test
    void aQuietConnectionOutlivesItsLink() throws Exception {
        String port = other.serve(QUIET);
        try (Program pause = client(QUIET, port, "pause", 20_000)) {
            pause.await("pausing");
            takeDownFor(1_000, "plug");
            takeDownFor(1_000, "eth0");
            pause.finish(); // until which it pauses, however long all that took
            pause.await("went on");
        }
    }

    /**
     * As with TCP, whose connection now carries the bytes: nothing is lost, and both this connection and the next one go over
     * RDMA again.
     */
    @Test
    void aConnectionOutlivesItsCable() throws Exception {
        String port = other.serve(HASTY);
        String[] telling = {HASTY[0], HASTY[1], "-Daccel.log.connections=true"};
        try (Program talk = client(telling, port, "talk", 4, TALK_MILLIS)) {
            talk.await("begun");
            takeDownFor(UNTIL_BROKEN_MILLIS, "plug");
            assertThat(talk.await("INFO: accel: moved ")).contains("LINK_LOST");
            assertThat(talk.await("INFO: accel: moved ")).endsWith(" to rdma");
            assertTalked(talk);
        }
        assertThat(isByRdmaWithin(PATIENCE_NANOS, port)).isTrue();
    }

    /**
     * The kernel makes a bond's entries in the device's table of addresses anew when the bond changes to its other link, whether or not its hardware
     * address changes. Soft-RoCE (seen in 6.1) can send nothing more from the queue pairs that there were, so the connection goes on through the
     * kernel, and then over another link.
     */
    @ParameterizedTest
    @ValueSource(strings = {"none", "active"})
    void aConnectionOutlivesALinkOfItsBond(String newHardwareAddress) throws Exception {
        String from = "10.84.0.1";
        String to = "10.84.0.2";
        try (Bond here = new Bond(HostAgent::shell, from, "fail_over_mac", newHardwareAddress);
                Bond there = new Bond(other::shell, to, "fail_over_mac", newHardwareAddress)) {
            List<String> options = List.of(PATIENT[0], PATIENT[1], "-Daccel.log.connections=true");
            String port = other.serveAt(to, PATIENT);
            try (Program talk = Program.start(options, NioClient.class, to, port, "talk", 8, 0)) {
                talk.await("begun");
                assertThat(talk.await("INFO: accel: connected "))
                        .startsWith("/" + from + ":")
                        .endsWith(" by rdma");
                String link = here.queuePairs();
                assertThat(link).matches("\\d+");
                for (Bond bond : List.of(here, there)) {
                    bond.pull();
                    assertThat(talk.await("INFO: accel: moved ")).contains("LINK_LOST");
                    assertThat(talk.await("INFO: accel: moved ")).endsWith(" to rdma");
                    assertThat(here.queuePairs())
                            .as("the device on the bond has its new link")
                            .matches("\\d+")
                            .isNotEqualTo(link);
                    link = here.queuePairs();
                }
                assertTalked(talk);
            } finally {
                other.stopServing();
            }
        }
    }

    /** A device whose interface is down fails at once what it cannot send. */
    @Test
    void aConnectionOutlivesItsInterface() throws Exception {
        String port = other.serve(HASTY);
        try (Program talk = client(HASTY, port, "talk", 4, TALK_MILLIS)) {
            talk.await("begun");
            takeDownFor(UNTIL_BROKEN_MILLIS, "eth0");
            assertWentOn(talk);
        }
        // Soft-RoCE (seen in 6.1) cannot route the connection manager's word of the end while its interface is down.
        // That puts the queue pair that all connection managers share into error: from then on it sends, and drops what
        // comes. So connections go through the kernel until the device is made anew, as TROUBLESHOOTING.md says.
        echoes(port, "2s");
        HostAgent.shell("rdma link delete rxe0 && rdma link add rxe0 type rxe netdev eth0");
        awaitPort("ACTIVE");
        assertThat(isByRdmaWithin(PATIENCE_NANOS, port)).isTrue();
    }

    /** The device goes from under a connection, and the kernel's path stays. */
    @Test
    void aConnectionOutlivesItsDevice() throws Exception {
        String port = other.serve(HASTY);
        try (Program talk = client(HASTY, port, "talk", 5, TALK_MILLIS)) {
            talk.await("begun");
            Thread.sleep(WARM_MILLIS);
            double before = talk.longestSoFar();
            Process removal = new ProcessBuilder("rdma", "link", "delete", "rxe0").start();
            try {
                assertOutlived(talk, "the removal of the device of one end", before);
                assertThat(removal.waitFor(30, TimeUnit.SECONDS)).isTrue();
            } finally {
                removal.destroyForcibly();
                HostAgent.shell("rdma link add rxe0 type rxe netdev eth0");
                awaitPort("ACTIVE");
            }
        }
        assertThat(isByRdmaWithin(PATIENCE_NANOS, port)).isTrue();
    }

    /** Waits until the client has gone on through the kernel; {@code before} is its longest round trip until then, in milliseconds. */
    private static void assertOutlived(Program talk, String what, double before) throws Exception {
        talk.await("INFO: accel: moved ");
        double over = talk.longestSoFar();
        System.out.println(
                "the longest round trip over " + what + ": " + over + " ms, and before it " + before + " ms");
        assertThat(over).as("milliseconds over the removal").isLessThan(before + MOST_OVER_REMOVAL_MILLIS);
        assertTalked(talk);
    }

    /** It hears of that from the connection manager, which the other host's kernel tells, and not by its own time-outs. */
    @Test
    void aConnectionOutlivesThePeersDevice() throws Exception {
        String[] patient = {"-Daccel.rdma.ack-timeout=4s", "-Daccel.rdma.keepalive=1min"};
        String port = other.serve(patient);
        try (Program talk = client(patient, port, "talk", 7, TALK_MILLIS)) {
            talk.await("begun");
            Thread.sleep(WARM_MILLIS);
            double before = talk.longestSoFar();
            other.shell("rdma link delete rxe0 >/dev/null 2>&1 &"); // which ends when the server has
            assertOutlived(talk, "the removal of the peer's device", before);
        } finally {
            other.serve("-Daccel.fallback=kernel"); // in place of the process that has the device open
            other.shell(
                    "for i in $(seq 100); do rdma link add rxe0 type rxe netdev eth0 2>/dev/null && break; sleep 0.1; done;"
                            + " for i in $(seq 100); do rdma link show rxe0/1 | grep -q 'state ACTIVE' && exit; sleep 0.1; done; exit 1");
        }
        assertThat(isByRdmaWithin(PATIENCE_NANOS, other.serve(HASTY))).isTrue();
    }

    /**
     * Connections that carry nothing, in the selectors of both ends of one that does: they share its completion queue, and wait for the device
     * to announce a message, which it then does for those of the busy one, too.
     */
    @ParameterizedTest
    @ValueSource(strings = {"latency", "balanced"})
    void coldLinksCostAHotOneLittle(String profile) throws Exception {
        // A guest has one processor, with which nothing would look; the peer and its device have another guest's.
        String[] options = {"-Daccel.profile=" + profile, "-XX:ActiveProcessorCount=2"};
        String port = other.serve(options);
        int[] cold = {0, 1, 16, 64, 0, 1, 16, 64, 0};
        try (Program client = Program.start(
                List.of(options), HotBesideCold.class, other.address(), port, 3_000, 0, 1, 16, 64, 0, 1, 16, 64, 0)) {
            List<Double> alone = new ArrayList<>();
            List<Double> crowded = new ArrayList<>();
            for (int each : cold) {
                String line = client.await("beside " + each + " cold: ");
                System.out.println(profile + ", beside " + each + " cold: " + line);
                (each == 0 ? alone : crowded).add(Double.parseDouble(line.replaceFirst("p50 ([0-9.]+) us.*", "$1")));
            }
            client.awaitSuccess();
            assertThat(Collections.min(crowded)).isLessThan(MOST_BESIDE_COLD * Collections.max(alone));
        }
    }

    private static void takeDownFor(long millis, String device) throws Exception {
        HostAgent.shell("ip link set " + device + " down");
        awaitPort("DOWN");
        Thread.sleep(millis);
        HostAgent.shell("ip link set " + device + " up");
        awaitPort("ACTIVE");
    }

    private static void assertWentOn(Program talk) throws Exception {
        talk.await("INFO: accel: moved ");
        assertTalked(talk);
    }

    private static void assertTalked(Program talk) throws Exception {
        talk.finish();
        System.out.println("over the break of a link: " + talk.await("talked: "));
    }

    /** Waits until the device reports this state of its port. */
    private static void awaitPort(String state) throws Exception {
        HostAgent.shell("for i in $(seq 100); do rdma link show rxe0/1 | grep -q 'state " + state
                + "' && exit; sleep 0.1; done; rdma link show rxe0/1; exit 1");
    }

    /** Connects again and again, until a connection is RDMA's; all of them must work. */
    private static boolean isByRdmaWithin(long nanos, String port) throws Exception {
        long deadline = System.nanoTime() + nanos;
        String path = "none";
        while (!path.equals("rdma") && System.nanoTime() - deadline < 0) {
            path = echoes(port, "60s");
        }
        return path.equals("rdma");
    }

    /** Makes a connection on any path that is found in that time, and returns the path. */
    private static String echoes(String port, String time) throws Exception {
        String[] any = {
            "-Daccel.fallback=kernel", "-Daccel.log.connections=true", "-Daccel.connect.probe-timeout=" + time
        };
        try (Program again = client(any, port, "lines")) {
            awaitPath(again);
            String path = again.await("INFO: accel: connected ").replaceFirst(".* by (\\w+).*", "$1");
            again.roundTrip();
            again.finish();
            return path;
        }
    }

    /** Makes round trips until the connection has its path: each end proves itself by bytes that the other's program reads. */
    private static void awaitPath(Program lines) throws Exception {
        long start = System.nanoTime();
        do {
            lines.roundTrip();
            Thread.sleep(MILLIS_BETWEEN_TRIPS);
        } while (!lines.hasSaid("INFO: accel: connected ") && System.nanoTime() - start < MOST_UNTIL_PATH_NANOS);
    }

    /** Neither path is there for a while; as with TCP alone, both programs go on when the kernel's is. */
    @Test
    void aHostThatIsAwayForAWhile() throws Exception {
        String port = other.serve(HASTY);
        try (Program idle = client(HASTY, port, "lines");
                Program talk = client(HASTY, port, "talk", 6, TALK_MILLIS)) {
            idle.roundTrip();
            talk.await("begun");
            other.shell("(sleep 0.2; " + CUT + "; sleep 8; tc qdisc del dev eth0 root) >/dev/null 2>&1 &");
            HostAgent.shell(CUT + "; sleep 8; tc qdisc del dev eth0 root");
            assertWentOn(talk);
            idle.roundTrip();
            idle.finish();
        }
    }

    /** When TCP gives up, so does a connection that waits for it. */
    @Test
    void aHostThatVanishesIsAnErrorAsWithTcp() throws Exception {
        String port = other.serve(HASTY);
        String retries = HostAgent.shell("cat /proc/sys/net/ipv4/tcp_retries2").strip();
        HostAgent.shell("echo 3 > /proc/sys/net/ipv4/tcp_retries2"); // seconds in place of a quarter of an hour
        try (Program writing = client(HASTY, port, "stream", 65_536, 100_000_000)) {
            writing.await("streaming");
            Thread.sleep(500); // into the middle of it
            HostAgent.shell(CUT);
            assertThat(writing.await("Exception in thread \"main\" ")).containsPattern(ENDED);
        } finally {
            HostAgent.shell("tc qdisc del dev eth0 root; echo " + retries + " > /proc/sys/net/ipv4/tcp_retries2");
        }
    }
}
