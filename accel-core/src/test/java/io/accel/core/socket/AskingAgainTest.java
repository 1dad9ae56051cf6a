// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client whose peer cannot decide yet asks again when there is traffic, but not for ever if nobody knows the connection. */
@Timeout(60)
class AskingAgainTest {
    private static final Map<String, String> AT_ONCE = Map.of("handover.after", "0");
    /** With traffic there is another question by then; that there is none without shows in time alone. */
    private static final Duration LONGER_THAN_A_RETRY = Duration.ofMillis(300);

    private final AtomicInteger asked = new AtomicInteger();

    /** Shared memory that answers a number of times that it may soon have another answer. */
    private Function<Profile, Map<FabricName, Fabric>> passing(FallbackReason reason, int times) {
        return profile -> {
            Map<FabricName, Fabric> all = new EnumMap<>(FabricName.class);
            all.put(
                    FabricName.SHM,
                    new Passing(Fabrics.all(profile, PortSpace.TCP).get(FabricName.SHM), reason, times, asked));
            return all;
        };
    }

    private record Passing(Fabric shm, FallbackReason why, int times, AtomicInteger asked) implements Fabric {
        @Override
        public String name() {
            return shm.name();
        }

        @Override
        public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
            if (asked.incrementAndGet() <= times) {
                throw new FallbackException(why, "not now", true);
            }
            return shm.connect(destination, source, ringSize);
        }

        @Override
        public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
            return shm.listen(bound, acceptor);
        }
    }

    private static void echo(Lab lab, Lab.Pair pair) throws IOException {
        Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.wrap(new byte[] {1}));
        assertThat(Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(2)))
                .isEqualTo(1);
    }

    @Test
    void whereTheAnswerIsNotYetThereIsALinkInTheEnd() throws Exception {
        try (Lab lab = new Lab("balanced", AT_ONCE, passing(FallbackReason.NOT_YET, 3))) {
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            await().until(() -> pair.client().path().reason() == FallbackReason.NOT_YET);
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                echo(lab, pair);
                return pair.client().path().isAccelerated()
                        && pair.server().path().isAccelerated();
            });
            assertThat(asked).hasValue(4);
            echo(lab, pair);
            assertThat(pair.client().outgoing().link()).isNotNull();
            pair.close();
        }
    }

    @Test
    void whereNobodyKnowsItThatIsToldAfterThreeTimes() throws Exception {
        try (Lab lab = new Lab("balanced", AT_ONCE, passing(FallbackReason.PEER_NOT_ACCELERATED, 1_000))) {
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                echo(lab, pair);
                return asked.get() == 3;
            });
            await().during(Duration.ofMillis(1500))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> {
                        echo(lab, pair);
                        return asked.get() == 3;
                    });
            assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            assertThat(pair.client().path().detail()).isEqualTo("not now");
            pair.close();
        }
    }

    @Test
    void whoIsIdleAsksNobody() throws Exception {
        try (Lab lab = new Lab("balanced", AT_ONCE, passing(FallbackReason.NOT_YET, 1))) {
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            await().until(() -> asked.get() == 1);
            await().during(LONGER_THAN_A_RETRY).until(() -> asked.get() == 1);
            pair.close();
        }
    }

    /** The peer has Accel, and the link comes with the first bytes. */
    @Test
    void whereFallingBackIsForbiddenNotYetIsNoFailure() throws Exception {
        Map<String, String> failing = Map.of("handover.after", "0", "fallback", "fail");
        try (Lab lab = new Lab("balanced", failing, passing(FallbackReason.NOT_YET, 1))) {
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                echo(lab, pair);
                return pair.client().path().isAccelerated();
            });
            pair.close();
        }
    }

    @Test
    void whereFallingBackIsForbiddenNobodyWaitsForAnotherAnswer() throws Exception {
        Map<String, String> failing = Map.of("handover.after", "0", "fallback", "fail", "connect.probe-timeout", "10s");
        try (Lab lab = new Lab("balanced", failing, passing(FallbackReason.PEER_NOT_ACCELERATED, 1_000))) {
            long start = System.nanoTime();
            assertThatThrownBy(lab::client)
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("PEER_NOT_ACCELERATED: not now");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        }
    }
}
