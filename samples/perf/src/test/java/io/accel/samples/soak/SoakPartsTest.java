// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The soak would notice lost bytes. */
class SoakPartsTest {
    private static final int LENGTH = 150_000;

    private static ByteBuffer noise(long seed, long position) {
        ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
        Noise.fill(seed, position, bytes);
        return bytes.flip();
    }

    @Test
    void rightBytesPassAndAnyOtherDoesNot() throws Exception {
        ByteBuffer bytes = noise(-5, 70_000);
        Noise.check(-5, 70_000, bytes);
        assertThat(bytes.remaining()).isEqualTo(LENGTH);
        bytes.put(LENGTH - 1, (byte) (bytes.get(LENGTH - 1) + 1));
        assertThatThrownBy(() -> Noise.check(-5, 70_000, bytes))
                .isInstanceOf(WrongBytesException.class)
                .hasMessageContaining("byte " + (70_000 + LENGTH - 1));
    }

    @Test
    void aPieceMovedOrOfAnotherStreamIsWrong() {
        for (long moved : new long[] {1, 64, 4096, 65_536}) {
            assertThatThrownBy(() -> Noise.check(3, 0, noise(3, moved))).isInstanceOf(WrongBytesException.class);
        }
        assertThatThrownBy(() -> Noise.check(3, 0, noise(4, 0))).isInstanceOf(WrongBytesException.class);
    }

    @Test
    void aConversationComesBackFromItsHeader() throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100; i++) {
            Conversation conversation = Conversation.random(random, i % 2 == 0, i % 3 == 0);
            ByteBuffer header = ByteBuffer.allocate(Conversation.HEADER);
            conversation.write(header);
            assertThat(Conversation.read(header.flip())).isEqualTo(conversation);
        }
        assertThatThrownBy(() -> Conversation.read(ByteBuffer.allocate(Conversation.HEADER)))
                .isInstanceOf(WrongBytesException.class);
    }

    @Test
    void whatGrowsIsNamed() {
        Held before = new Held(4 << 20, 100 << 20, 20, 200);
        assertThat(new Held(5 << 20, 120 << 20, 22, 230).growthSince(before, "it", true))
                .isEmpty();
        assertThat(new Held(40 << 20, 300 << 20, 90, 900).growthSince(before, "it", false))
                .hasSize(4)
                .allMatch(sentence -> sentence.startsWith("it's "));
    }

    @Test
    void codeThatIsStillToBeCompiledMayTakeMoreMemory() {
        Held before = new Held(4 << 20, 100 << 20, 20, 200);
        Held after = new Held(4 << 20, 150 << 20, 20, 200);
        assertThat(after.growthSince(before, "it", false)).isEmpty();
        assertThat(after.growthSince(before, "it", true))
                .containsExactly("it's resident memory went from 104,857,600 to 157,286,400");
    }

    @Test
    void aResidentsFailureIsALossAndAVictimsIsNotUnlessBytesAreWrong() {
        Tally tally = new Tally(false);
        tally.failed(false, false, "cut");
        assertThat(tally.lost.get()).isZero();
        assertThat(tally.cut.get()).isEqualTo(1);
        tally.failed(true, false, "cut");
        tally.failed(false, true, "wrong");
        assertThat(tally.lost.get()).isEqualTo(2);
    }

    @Test
    void whereLinksAreBrokenAResetThatTheGuaranteesExceptIsNoLoss() {
        Tally tally = new Tally(true);
        ResetsTold told = new ResetsTold(tally);
        tally.failed(true, false, "by the client: java.net.SocketException: Connection reset");
        told.publish(new LogRecord(
                Level.INFO, "accel: the connection to x is reset with its link: the peer does not know of the switch"));
        told.publish(new LogRecord(
                Level.INFO, "accel: the connection to y is reset with its link: the peer has lost bytes"));
        assertThat(tally.resets).hasValue(1);
        assertThat(told.excepted()).isEqualTo(1);
        assertThat(tally.lost).hasValue(0);
        told.publish(new LogRecord(Level.INFO, "accel: the connection to z is reset with its link: a bug"));
        assertThat(tally.lost).hasValue(1);
        tally.failed(true, true, "by the client: wrong bytes, then Connection reset");
        tally.failed(true, false, "by the client: it hangs");
        assertThat(tally.lost).hasValue(3);
    }

    /** The thread that waits in vain says where it does. */
    @Test
    @Timeout(30)
    void workThatDoesNotEndInTimeIsToldWithItsStack() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Limit limit = new Limit(Duration.ofMillis(1), told::add);
        assertThat(told.take())
                .startsWith("it did not end within 0 s:")
                .contains("workThatDoesNotEndInTimeIsToldWithItsStack");
        limit.done();
    }

    @Test
    @Timeout(30)
    void workThatEndsInTimeIsNotTold() {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Thread watch = new Limit(Duration.ofMinutes(1), told::add).done();
        await().until(() -> !watch.isAlive());
        assertThat(told).isEmpty();
    }

    @Test
    void aHandoverAndALostLinkAreToldFromOtherFigures() {
        assertThat(Stream.of("connections.client.rdma", "connections.server.kernel", "fallbacks.client.RULE")
                        .filter(Handovers::isHandover))
                .containsExactly("connections.client.rdma");
        assertThat(Stream.of("fallbacks.client.LINK_LOST", "fallbacks.server.LINK_LOST", "fallbacks.client.IDLE")
                        .filter(Handovers::isLostLink))
                .containsExactly("fallbacks.client.LINK_LOST", "fallbacks.server.LINK_LOST");
    }
}
