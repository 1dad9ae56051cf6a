// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.observe.Connections;
import io.accel.core.observe.Drop;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.ProcessCounters;
import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Multicast groups in shared memory, with members and publishers in several processes. */
@Timeout(60)
class GroupTest {
    private static final Map<String, String> SETTINGS = Map.of("datagram.retry", "5ms");
    private static final long SECOND = 1_000_000_000L;

    /** How long a process may take to say what it has to. */
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    /** A process of {@link GroupProbe}. */
    private static Child child(String mode, Path dir, int port, String... what) {
        List<String> arguments = new ArrayList<>(List.of(mode, dir.toString(), String.valueOf(port)));
        arguments.addAll(List.of(what));
        return new ChildJvm(GroupProbe.class)
                .with("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .start(arguments.toArray(String[]::new));
    }

    private static final class Ear {
        final GroupLab.End member;
        final Map<Long, Integer> heard = new TreeMap<>();

        Ear(GroupLab.End member) {
            this.member = member;
        }

        void hearUpTo(long last) throws IOException {
            while (!heard.containsKey(last)) {
                hearNext();
            }
        }

        void hearNext() throws IOException {
            Long number = member.receive(10 * SECOND);
            assertThat(number)
                    .as(() -> "number after " + GroupProbe.text(heard))
                    .isNotNull();
            heard.merge(number, 1, Integer::sum);
        }

        void hearRest() throws IOException {
            for (Long number = member.receive(SECOND / 20); number != null; number = member.receive(SECOND / 20)) {
                heard.merge(number, 1, Integer::sum);
            }
        }
    }

    /** Sends numbers until they are published; returns the next. */
    private static long publish(GroupLab.End sender, InetSocketAddress group, Ear... ears) throws IOException {
        long number = 0;
        while (!sender.publishes(group)) {
            sender.send(++number, group);
            LockSupport.parkNanos(500_000); // members in other processes keep up, too
            for (Ear ear : ears) {
                ear.hearUpTo(number);
            }
        }
        return number;
    }

    private static void assertMembers(InetSocketAddress group, int count) {
        assertThat(Connections.all().stream()
                        .filter(GroupPublication.class::isInstance)
                        .map(ObservedConnection::sample)
                        .filter(sample -> sample.remote().equals(ConnectionRecord.text(group))))
                .singleElement()
                .satisfies(sample -> assertThat(sample.detail()).isEqualTo(count + " members"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"both", "fabric"})
    void membersOfSeveralProcessesHearEachDatagramOnce(String mode) throws Exception {
        try (GroupLab lab = new GroupLab(mode, SETTINGS, null)) {
            Ear first = new Ear(lab.end(0).join());
            int port = first.member.port();
            Ear second = new Ear(lab.end(port).join());
            InetSocketAddress group = lab.group(port);
            GroupLab.End sender = lab.end(0);
            try (Child one = child(mode, lab.dir, port, "hear", "1");
                    Child two = child(mode, lab.dir, port, "hear", "2")) {
                one.awaitLine("ready", PATIENCE);
                two.awaitLine("ready", PATIENCE);
                long last = publish(sender, group, first, second);
                // A member that comes by the kernel's copies in a flood loses those for which the kernel has no room.
                one.awaitLine("linked", PATIENCE);
                two.awaitLine("linked", PATIENCE);
                two.awaitLine("linked", PATIENCE);
                await().until(() -> first.member.socket.links() > 0 && second.member.socket.links() > 0);
                assertMembers(group, 5);
                long all = last + 2_000;
                for (long number = last + 1; number <= all; number++) {
                    sender.send(number, group);
                    if (number % 20 == 0) {
                        first.hearUpTo(number);
                        second.hearUpTo(number);
                    }
                }
                first.hearUpTo(all);
                second.hearUpTo(all);
                Ear late = new Ear(lab.end(port).join());
                sender.send(all + 1, group);
                late.hearUpTo(all + 1);
                sender.send(GroupProbe.LAST, group);
                String expected = "1.." + (all + 1) + ", " + (all + 1) + ", 0 twice";
                assertThat(one.awaitLine("heard", PATIENCE)).isEqualTo("heard " + expected);
                assertThat(two.awaitLine("heard", PATIENCE)).isEqualTo("heard " + expected);
                assertThat(two.awaitLine("heard", PATIENCE)).isEqualTo("heard " + expected);
                for (Ear ear : List.of(first, second)) {
                    ear.hearUpTo(GroupProbe.LAST);
                    ear.hearRest();
                    assertThat(ear.heard).hasSize((int) all + 2);
                    assertThat(ear.heard.values()).containsOnly(1);
                }
                late.hearUpTo(GroupProbe.LAST);
                late.hearRest();
                assertThat(late.heard).isEqualTo(Map.of(all + 1, 1, GroupProbe.LAST, 1));
            }
        }
    }

    /** A member that joins while a publication is being made hears it from the next news of publications on. */
    @Test
    void publicationThatIsNotWholeIsLookedAtAgain() throws Exception {
        try (GroupLab lab = new GroupLab("fabric", SETTINGS, null)) {
            Ear first = new Ear(lab.end(0).join());
            InetSocketAddress group = lab.group(first.member.port());
            GroupLab.End sender = lab.end(0);
            long number = publish(sender, group, first);
            Path ring;
            try (Stream<Path> files = Files.walk(lab.dir)) {
                ring = files.filter(file -> file.endsWith("ring")).findAny().orElseThrow();
            }
            Path away = Files.move(ring, lab.dir.resolve("away"));
            Ear late = new Ear(lab.end(first.member.port()).join());
            assertThat(late.member.socket.links()).isZero();
            Files.move(away, ring);
            long unused = publish(lab.end(0), group);
            await().until(() -> late.member.socket.links() == 2);
            long next = number + 1_000_000;
            sender.send(next, group);
            late.hearUpTo(next);
        }
    }

    /** A rule leaves a group to the kernel, at the end that it names. */
    @ParameterizedTest
    @ValueSource(strings = {"client", "server"})
    void ruleLeavesAGroupToTheKernel(String role) throws Exception {
        Map<String, String> settings =
                Map.of("datagram.retry", "5ms", "rule.1", "kernel " + role + " 239.11.22.33:* udp");
        try (GroupLab lab = new GroupLab("both", settings, null)) {
            Ear ear = new Ear(lab.end(0).join());
            InetSocketAddress group = lab.group(ear.member.port());
            GroupLab.End sender = lab.end(0);
            long number = 0;
            while (number < 100 || (role.equals("server") && !sender.publishes(group))) {
                sender.send(++number, group);
                ear.hearUpTo(number);
                LockSupport.parkNanos(500_000);
            }
            ear.hearRest();
            assertThat(sender.publishes(group)).isEqualTo(role.equals("server"));
            assertThat(ear.member.socket.links()).isZero();
            assertThat(ear.heard).hasSize((int) number);
            assertThat(ear.heard.values()).containsOnly(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"both", "fabric"})
    void killedMemberLeavesTheOthersAlone(String mode) throws Exception {
        try (GroupLab lab = new GroupLab(mode, SETTINGS, null)) {
            Ear ear = new Ear(lab.end(0).join());
            InetSocketAddress group = lab.group(ear.member.port());
            GroupLab.End sender = lab.end(0);
            long number = publish(sender, group, ear);
            try (Child child = child(mode, lab.dir, ear.member.port(), "hear", "2")) {
                child.awaitLine("ready", PATIENCE);
                for (int i = 0; i < 200; i++) {
                    sender.send(++number, group);
                    ear.hearUpTo(number);
                    if (i == 100) {
                        child.kill();
                    }
                }
            }
            ear.hearRest();
            assertThat(ear.heard).hasSize((int) number);
            assertThat(ear.heard.values()).containsOnly(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"both", "fabric"})
    void membersGoOnWithoutAKilledPublisher(String mode) throws Exception {
        try (GroupLab lab = new GroupLab(mode, SETTINGS, null)) {
            Ear ear = new Ear(lab.end(0).join());
            int port = ear.member.port();
            try (Child child = child(mode, lab.dir, port, "say")) {
                child.awaitLine("ready", PATIENCE);
                while (ear.member.socket.links() == 0 || ear.heard.size() < 200) {
                    ear.hearNext();
                }
                child.kill();
            }
            ear.hearRest();
            assertThat(ear.heard.values()).containsOnly(1);
            await().atMost(Duration.ofSeconds(5)).until(() -> {
                ear.hearRest();
                return ear.member.socket.links() == 0;
            });
            assertThat(lab.mappings()).isZero();
            ear.heard.clear();
            GroupLab.End next = lab.end(0);
            long number = publish(next, lab.group(port), ear);
            next.send(++number, lab.group(port));
            ear.hearUpTo(number);
            ear.hearRest();
            assertThat(ear.heard).hasSize((int) number);
            assertThat(ear.heard.values()).containsOnly(1);
        }
    }

    @Test
    void slowMemberLosesAndCountsAndHoldsNobodyUp() throws Exception {
        try (GroupLab lab =
                new GroupLab("fabric", Map.of("datagram.retry", "5ms", "datagram.ring-size", "128KiB"), null)) {
            Ear quick = new Ear(lab.end(0).join());
            Ear slow = new Ear(lab.end(quick.member.port()).join());
            InetSocketAddress group = lab.group(quick.member.port());
            GroupLab.End sender = lab.end(0);
            long number = publish(sender, group, quick, slow);
            await().until(() -> slow.member.socket.links() > 0);
            long drops = ProcessCounters.drops(Drop.MULTICAST);
            long from = number;
            for (int i = 0; i < 100_000; i++) {
                sender.send(++number, group);
                if (number % 500 == 0) {
                    quick.hearUpTo(number);
                }
            }
            quick.hearUpTo(number);
            assertThat(quick.heard).hasSize((int) number);
            slow.hearUpTo(number);
            slow.hearRest();
            assertThat(slow.heard.values()).containsOnly(1);
            long missed = number - slow.heard.size();
            assertThat(missed).isBetween(1L, number - from);
            assertThat(ProcessCounters.drops(Drop.MULTICAST) - drops).isEqualTo(missed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"both", "fabric"})
    void blockedSourceAndLeftGroupAreNotHeard(String mode) throws Exception {
        try (GroupLab lab = new GroupLab(mode, SETTINGS, null)) {
            Ear ear = new Ear(lab.end(0).join());
            InetSocketAddress group = lab.group(ear.member.port());
            GroupLab.End sender = lab.end(0);
            long number = publish(sender, group, ear);
            sender.send(++number, group);
            ear.hearUpTo(number);
            sender.send(++number, group); // before the block: heard
            ear.member.block(GroupLab.ip("127.0.0.1"));
            sender.send(++number, group);
            ear.hearRest();
            assertThat(ear.heard).doesNotContainKey(number).containsKey(number - 1);
            ear.member.unblock(GroupLab.ip("127.0.0.1"));
            sender.send(++number, group);
            ear.hearUpTo(number);
            ear.member.leave();
            sender.send(++number, group);
            ear.hearRest();
            assertThat(ear.heard).doesNotContainKey(number);
            ear.member.join();
            sender.send(++number, group);
            ear.hearUpTo(number);
            ear.hearRest();
            assertThat(ear.heard).hasSize((int) number - 2);
            assertThat(ear.heard.values()).containsOnly(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"both", "fabric"})
    void membershipThatAdmitsAPublisherMayComeAfterOneThatDoesNot(String mode) throws Exception {
        try (GroupLab lab = new GroupLab(mode, SETTINGS, null)) {
            GroupLab.End member = lab.end(0);
            Ear other = new Ear(lab.end(member.port()).join());
            InetSocketAddress group = lab.group(member.port());
            GroupLab.End sender = lab.end(0);
            member.join(GroupLab.ip("127.0.0.99"));
            long number = publish(sender, group, other);
            Ear ear = new Ear(member);
            ear.hearRest();
            assertThat(ear.heard).isEmpty();
            member.join(GroupLab.ip("127.0.0.1"));
            sender.send(++number, group);
            ear.hearUpTo(number);
            ear.hearRest();
            assertThat(ear.heard).isEqualTo(Map.of(number, 1));
        }
    }
}
