// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A publisher on one host and the members of its multicast group on two, by shared memory and RDMA, over a network that loses packets:
 * members come late, are killed, and have no Accel; devices go and come back.
 */
@EnabledIfSystemProperty(
        named = "lab.agent",
        matches = ".*",
        disabledReason = "needs two hosts: samples/lab/two-hosts runs this in the lab")
@Timeout(600)
class TwoHostsGroupsTest {
    private static final String HERE = "10.78.0.1";
    private static final int PORT = 47_000;
    private static final int LEAST = 1_000;
    private static final String LINKED = ".*datagrams .* by ";
    private static final String LOST = LINKED + "kernel \\(LINK_LOST.*";
    /** Ends once nobody has the device any more; half a minute is too long. */
    private static final String REMOVE = "rm -f /run/gone; (rdma link delete rxe0; : >/run/gone) >/dev/null 2>&1 &"
            + " for i in $(seq 300); do [ -e /run/gone ] && exit; sleep 0.1; done; exit 1";

    private static final String RESTORE = "rdma link add rxe0 type rxe netdev eth0; ";
    private static final String AWAIT_ACTIVE =
            "for i in $(seq 100); do rdma link show rxe0/1 | grep -q 'state ACTIVE' && exit; sleep 0.1; done; exit 1";
    /** Without a second device librdmacm keeps the first, whose removal waits for that. */
    private static final String SECOND_DEVICE =
            "ip link show y0 >/dev/null 2>&1 || { ip link add y0 type veth peer name y1"
                    + " && ip addr add 10.79.0.1/24 dev y0 && ip link set y0 up && ip link set y1 up"
                    + " && rdma link add rxe3 type rxe netdev y0; }";

    private static final List<String> PLAIN =
            List.of("-Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.EPollSelectorProvider");

    private static OtherHost other;

    @BeforeAll
    @Timeout(600)
    static void meet() throws Exception {
        other = new OtherHost();
    }

    @AfterAll
    static void part() throws Exception {
        other.close();
    }

    @AfterEach
    void mend() throws Exception {
        String mended = "tc qdisc del dev eth0 root 2>/dev/null; ip link set plug up;"
                + " rdma link show rxe0/1 >/dev/null 2>&1 || " + RESTORE + AWAIT_ACTIVE;
        Object unused = HostAgent.shell(mended);
        unused = other.shell(mended);
    }

    /** What a member has heard; the missed ones are ranges. */
    private record Heard(int count, int first, int last, int twice, List<int[]> missed) {
        private static final Pattern LINE =
                Pattern.compile("heard (\\d+) first (\\d+) last (\\d+) twice (\\d+) missed ?([-,\\d]*)");

        static Heard of(String line) {
            Matcher matcher = LINE.matcher(line);
            assertThat(matcher.matches()).as(line).isTrue();
            List<int[]> missed = new ArrayList<>();
            for (String range : matcher.group(5).split(",", -1)) {
                if (!range.isEmpty()) {
                    String[] ends = range.split("-", -1);
                    missed.add(new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[1])});
                }
            }
            return new Heard(number(matcher, 1), number(matcher, 2), number(matcher, 3), number(matcher, 4), missed);
        }

        private static int number(Matcher matcher, int group) {
            return Integer.parseInt(matcher.group(group));
        }

        /** How many were missed from a number on, before another. */
        int missed(int from, int to) {
            return missed.stream()
                    .mapToInt(range -> Math.max(0, Math.min(range[1] + 1, to) - Math.max(range[0], from)))
                    .sum();
        }

        int allMissed() {
            return missed(0, Integer.MAX_VALUE);
        }
    }

    private static int next(Program publisher) throws Exception {
        publisher.tell(GroupNode.WHERE);
        return Integer.parseInt(publisher.await("next "));
    }

    private static int awaitNext(Program publisher, int least) throws Exception {
        int next = next(publisher);
        while (next < least) {
            next = next(publisher);
        }
        return next;
    }

    private static List<String> accel(String mode) {
        return List.of(
                "-Daccel.fabric.order=shm,rdma",
                "-Daccel.fallback=kernel",
                "-Daccel.datagram.multicast=" + mode,
                "-Daccel.datagram.retry=20ms",
                "-Daccel.datagram.ring-size=1MiB",
                "-Daccel.log.connections=true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"both", "fabric"})
    void eachDatagramIsHeardOnceOnBothHosts(String mode) throws Exception {
        List<String> accel = accel(mode);
        int port = mode.equals("both") ? PORT : PORT + 1;
        other.node("two", accel, other.address(), port, "hear", 2);
        other.node("killed", accel, other.address(), port, "hear", 1);
        other.node("plain", PLAIN, other.address(), port, "hear", 1);
        try (Program here = Program.start(accel, GroupNode.class, HERE, port, "hear", 2)) {
            here.await("ready");
            for (String name : List.of("two", "killed", "plain")) {
                Object unused = other.awaitLineOf(name, "ready");
            }
            try (Program publisher = Program.start(accel, GroupNode.class, HERE, port, "say")) {
                for (int i = 0; i < 2; i++) {
                    Object unused = here.awaitMatch(LINKED + "shm.*");
                    unused = other.awaitLineOf("two", LINKED + "rdma.*");
                }
                Object unused = other.awaitLineOf("killed", LINKED + "rdma.*");
                publisher.tell(GroupNode.FASTER);
                int begun = next(publisher);
                int first = awaitNext(publisher, begun + LEAST);
                other.kill("killed");
                other.node("late", accel, other.address(), port, "hear", 1);
                unused = other.awaitLineOf("late", LINKED + "rdma.*");
                unused = HostAgent.shell("tc qdisc add dev eth0 root netem loss 1%");
                int lossy = next(publisher);
                int mended = awaitNext(publisher, lossy + LEAST);
                assertThat(HostAgent.shell("tc -s qdisc show dev eth0"))
                        .as("packets were lost")
                        .containsPattern("dropped [1-9]");
                unused = HostAgent.shell("tc qdisc del dev eth0 root");
                int last = awaitNext(publisher, mended + LEAST);
                publisher.tell(GroupNode.END_IT);
                publisher.awaitSuccess();
                List<Heard> onThisHost = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    onThisHost.add(Heard.of("heard " + here.await("heard ")));
                }
                List<Heard> onTheOther = new ArrayList<>(List.of(
                        Heard.of(other.awaitLineOf("two", "heard .*")),
                        Heard.of(other.awaitLineOf("two", "heard .*"))));
                int lost = Integer.parseInt(other.awaitLineOf("two", "lost .*").substring("lost ".length()));
                int both = onTheOther.get(0).allMissed() + onTheOther.get(1).allMissed();
                Heard late = Heard.of(other.awaitLineOf("late", "heard .*"));
                System.out.println(mode + ": " + begun + " to " + last + ", loss from " + lossy + " to " + mended
                        + "; missed there " + both + ", counted " + lost);
                assertThat(onThisHost).allSatisfy(heard -> {
                    assertThat(heard.twice()).isZero();
                    assertThat(heard.missed(begun, last)).isZero();
                });
                assertThat(onTheOther).allSatisfy(heard -> assertWhole(heard, begun, last));
                assertWhole(late, lossy, last);
                assertThat(late.first()).isGreaterThanOrEqualTo(first);
                if (mode.equals("both")) {
                    Heard plain = Heard.of(other.awaitLineOf("plain", "heard .*"));
                    // It has nothing but the kernel's small buffer while its guest stands still.
                    assertThat(plain.twice()).isZero();
                    assertThat(plain.count()).isGreaterThan((last - begun) / 2);
                    assertThat(lost).isZero();
                } else {
                    // Only the first datagrams by the kernel; what RDMA lost is counted.
                    Heard plain = Heard.of(other.awaitLineOf("plain", "heard .*"));
                    assertThat(plain.last()).isLessThan(begun);
                    assertThat(plain.twice()).isZero();
                    assertThat(lost)
                            .isBetween(
                                    onTheOther.get(0).missed(begun, last)
                                            + onTheOther.get(1).missed(begun, last),
                                    both);
                }
            }
        }
    }

    /** One of the two hosts, where commands are run. */
    @FunctionalInterface
    private interface Host {
        String run(String command) throws Exception;
    }

    /** A network that fails for a while. */
    private enum Fault {
        /** The publisher's host loses its device, and so do the members there. */
        DEVICE_HERE(PORT + 2, REMOVE, RESTORE + AWAIT_ACTIVE),
        /** The other host loses its device: its members fall back, and with them a publisher that goes by its own device alone. */
        DEVICE_THERE(PORT + 4, REMOVE, RESTORE + AWAIT_ACTIVE),
        /** Nothing leaves this host. Neither path does better, and both are there when the cable is. */
        CABLE(PORT + 6, "ip link set plug down", "ip link set plug up; " + AWAIT_ACTIVE);

        private final int port;
        private final String begin;
        private final String end;

        Fault(int port, String begin, String end) {
            this.port = port;
            this.begin = begin;
            this.end = end;
        }

        Host host() {
            return this == DEVICE_THERE ? other::shell : HostAgent::shell;
        }

        /** Whether a publisher on this host has to fall back. */
        boolean isPublishers(String mode) {
            return this == DEVICE_HERE || (this == DEVICE_THERE && mode.equals("fabric"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "both, DEVICE_HERE",
        "both, DEVICE_THERE",
        "both, CABLE",
        "fabric, DEVICE_HERE",
        "fabric, DEVICE_THERE",
        "fabric, CABLE"
    })
    void groupsOutliveAFault(String mode, Fault fault) throws Exception {
        List<String> accel = accel(mode);
        int port = fault.port + (mode.equals("both") ? 0 : 1);
        boolean atDevice = fault != Fault.CABLE;
        Object unused = atDevice ? fault.host().run(SECOND_DEVICE) : null;
        String name = "two" + port;
        other.node(name, accel, other.address(), port, "hear", 2);
        try (Program here = Program.start(accel, GroupNode.class, HERE, port, "hear", 2)) {
            here.await("ready");
            unused = other.awaitLineOf(name, "ready");
            try (Program publisher = Program.start(accel, GroupNode.class, HERE, port, "say")) {
                for (int i = 0; i < 2; i++) {
                    unused = here.awaitMatch(LINKED + "shm.*");
                    unused = other.awaitLineOf(name, LINKED + "rdma.*");
                }
                unused = publisher.awaitMatch(LINKED + "rdma.*");
                publisher.tell(GroupNode.FASTER);
                int begun = next(publisher);
                int broken = awaitNext(publisher, begun + LEAST);
                unused = fault.host().run(fault.begin);
                if (fault == Fault.DEVICE_THERE) {
                    unused = other.awaitLineOf(name, LOST);
                }
                if (fault.isPublishers(mode)) {
                    unused = publisher.awaitMatch(LOST);
                }
                int fellBack = next(publisher);
                int mended = awaitNext(publisher, fellBack + LEAST);
                unused = fault.host().run(fault.end);
                for (int i = 0; i < 2 && atDevice; i++) {
                    unused = other.awaitLineOf(name, LINKED + "rdma.*");
                }
                if (fault.isPublishers(mode)) {
                    unused = publisher.awaitMatch(LINKED + "rdma.*");
                }
                int whole = next(publisher);
                int last = awaitNext(publisher, whole + LEAST);
                publisher.tell(GroupNode.END_IT);
                publisher.awaitSuccess();
                List<Heard> onThisHost = new ArrayList<>();
                List<Heard> onTheOther = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    onThisHost.add(Heard.of("heard " + here.await("heard ")));
                    onTheOther.add(Heard.of(other.awaitLineOf(name, "heard .*")));
                }
                for (Heard heard : onTheOther) {
                    System.out.println(mode + ", " + fault + ": of " + begun + " to " + last + " heard there "
                            + heard.count() + ", twice " + heard.twice() + "; missed " + heard.missed(begun, broken)
                            + " before, " + heard.missed(broken, fellBack) + " of " + (fellBack - broken)
                            + " while it was noticed, " + heard.missed(fellBack, mended) + " of " + (mended - fellBack)
                            + " meanwhile, " + heard.missed(mended, whole) + " of " + (whole - mended)
                            + " while it was mended, " + heard.missed(whole, last) + " of " + (last - whole)
                            + " afterwards");
                }
                assertThat(onThisHost).allSatisfy(heard -> {
                    assertThat(heard.twice()).isZero();
                    assertThat(heard.missed(begun, last)).isZero();
                });
                assertThat(onTheOther).allSatisfy(heard -> {
                    assertThat(heard.missed(begun, broken)).isLessThanOrEqualTo((broken - begun) / 20);
                    assertWhole(heard, whole, last);
                    if (atDevice) {
                        assertWhole(heard, begun, last);
                    } else {
                        assertThat(heard.missed(fellBack, mended))
                                .as("the cable was cut")
                                .isEqualTo(mended - fellBack);
                    }
                });
            }
        }
    }

    /** Nothing twice, and everything but a few per cent: the network loses some, and a guest may stand still. */
    private static void assertWhole(Heard heard, int from, int to) {
        assertThat(heard.twice()).isZero();
        assertThat(heard.last()).isGreaterThan(to - (to - from) / 20);
        assertThat(heard.missed(from, to)).isLessThanOrEqualTo((to - from) / 20);
    }
}
