// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchCaseTest {
    @Test
    void aStarStandsForTheRestOfAName() {
        assertThat(BenchCase.named("crowded-hog*", BenchCase.OF_BENCHES))
                .containsExactlyInAnyOrder(
                        BenchCase.HOG, BenchCase.HOG_BLOCKING, BenchCase.HOG_NETTY, BenchCase.VIRTUAL_HOG);
        assertThat(BenchCase.named("crowded-hog", BenchCase.OF_BENCHES)).containsExactly(BenchCase.HOG);
        assertThat(BenchCase.named("crowded-4x4*", BenchCase.OF_BENCHES))
                .containsExactlyInAnyOrder(
                        BenchCase.FOUR_BY_FOUR, BenchCase.FOUR_BY_FOUR_DEFAULTS, BenchCase.FOUR_BY_FOUR_NETTY);
        assertThat(BenchCase.named("crowded-quota*", BenchCase.OF_BENCHES))
                .containsExactlyInAnyOrder(
                        BenchCase.QUOTA, BenchCase.QUOTA_BLOCKING, BenchCase.QUOTA_NETTY, BenchCase.QUOTA_VIRTUAL);
    }

    @Test
    void whatIsComparedWithOneConnectionAloneBringsThatAlong() {
        assertThat(BenchCase.named("burst-2000", BenchCase.OF_BENCHES))
                .containsExactlyInAnyOrder(BenchCase.IDLE_1, BenchCase.BURST);
        assertThat(BenchCase.named("udp-200-peers", BenchCase.OF_BENCHES))
                .containsExactlyInAnyOrder(BenchCase.DATAGRAM_ONE_PEER, BenchCase.DATAGRAM_PEERS);
        assertThat(BenchCase.named("udp-1-peer", BenchCase.OF_BENCHES)).containsExactly(BenchCase.DATAGRAM_ONE_PEER);
    }

    /** Otherwise the single case would differ in more than the number. */
    @Test
    void oneAloneDiffersFromManyInTheirNumberOnly() {
        Kind one = BenchCase.DATAGRAM_ONE_PEER.kind;
        Kind many = BenchCase.DATAGRAM_PEERS.kind;
        assertThat(one.connections).isEqualTo(1);
        assertThat(many.connections).isEqualTo(200);
        assertThat(one)
                .usingRecursiveComparison()
                .comparingOnlyFields("server", "client", "messageBytes", "serverArguments", "clientArguments")
                .isEqualTo(many);
        assertThat(BenchCase.DATAGRAM_ONE_PEER.variants()).isEqualTo(BenchCase.DATAGRAM_PEERS.variants());
    }

    @Test
    void crowdedCasesTryEachProfile() {
        assertThat(BenchCase.FOUR_BY_FOUR.variants().stream().map(BenchCase.FOUR_BY_FOUR::profileOf))
                .containsExactly("none", "latency", "balanced", "low-cpu");
        assertThat(BenchCase.FOUR_BY_FOUR_NETTY.variants().stream().map(BenchCase.FOUR_BY_FOUR_NETTY::profileOf))
                .containsExactly("none", "latency", "balanced", "low-cpu");
        assertThat(BenchCase.PINGPONG.variants().stream().map(BenchCase.PINGPONG::profileOf))
                .containsExactly("none", "latency");
    }

    @Test
    void youngCasesTryEachProfileAndNoneButRunWhereTheyAreAskedForOnly() {
        assertThat(BenchCase.OF_YOUNG).hasSize(7).allSatisfy(each -> assertThat(
                        each.variants().stream().map(each::profileOf))
                .containsExactly("none", "balanced", "latency", "throughput", "low-cpu", "off"));
        assertThat(BenchCase.OF_SHM).doesNotContainAnyElementsOf(BenchCase.OF_YOUNG);
        assertThat(BenchCase.YOUNG_QUERY_SOCKET.variants()).anyMatch(Variant::isByAgent);
        assertThat(BenchCase.YOUNG_PAIRS.variants()).noneMatch(Variant::isByAgent);
    }

    @Test
    void eachRowOfACaseCanBeToldFromTheOthers() {
        for (BenchCase benchCase : BenchCase.values()) {
            Set<String> rows = new HashSet<>();
            for (Variant variant : benchCase.variants()) {
                assertThat(rows.add(variant.path + ' ' + benchCase.profileOf(variant)))
                        .as(benchCase + " " + variant)
                        .isTrue();
            }
        }
    }

    @Test
    void theHelpNamesEachCase() {
        String help = String.join(
                " ",
                CompareCommand.class
                        .getAnnotation(picocli.CommandLine.Command.class)
                        .description());
        assertThat(Arrays.asList(help.split("[ ,;:.]+", -1)))
                .contains(BenchCase.names(BenchCase.OF_BENCHES).split(", ", -1));
    }
}
