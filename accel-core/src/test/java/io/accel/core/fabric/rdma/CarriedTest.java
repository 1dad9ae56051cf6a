// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.rdma.Carried.Verdict;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the ends of a handshake conclude about each other from the bytes that each says it has seen. */
class CarriedTest {
    private static final byte[] CLIENTS = Offer.secrets(1, 2);
    private static final byte[] BOTH = Offer.secrets(1, 2, 3);

    /** The beginnings at an end that has sent and received so many bytes of a connection. */
    private record Seen(int sent, int received, int out, int in) implements Beginnings {
        @Override
        public int sumOfSent(int length) {
            return sum(length, out);
        }

        @Override
        public int sumOfReceived(int length) {
            return sum(length, in);
        }

        private static int sum(int length, int seed) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) seed);
            CRC32C sum = new CRC32C();
            sum.update(bytes);
            return (int) sum.getValue();
        }
    }

    private static Verdict ofClient(Seen client, Seen server) {
        return Carried.asked(client, CLIENTS).ofClient(server, CLIENTS);
    }

    private static Verdict ofAnswer(Seen client, Seen server) {
        Carried asked = Carried.asked(client, CLIENTS);
        return asked.ofAnswer(asked.answer(server, BOTH), client, BOTH);
    }

    /** Either end may have seen less of a direction than the other has sent. */
    @ParameterizedTest
    @CsvSource({"100, 50, 60, 100", "4096, 4096, 4096, 4096", "1, 1, 1, 1", "64, 0, 0, 64", "65, 129, 130, 64"})
    void twoEndsOfOneConnectionKnowEachOther(int sent, int received, int sentThere, int receivedThere) {
        Seen client = new Seen(sent, received, 7, 8);
        Seen server = new Seen(sentThere, receivedThere, 8, 7);
        assertThat(ofAnswer(client, server)).isEqualTo(Verdict.SAME);
        assertThat(ofClient(client, server)).isEqualTo(received == 0 ? Verdict.TOO_LITTLE : Verdict.SAME);
    }

    @Test
    void aStrangerIsNotTakenForThePeer() {
        Seen client = new Seen(100, 100, 7, 8);
        assertThat(ofAnswer(client, new Seen(100, 100, 8, 9))).isEqualTo(Verdict.OTHER);
        assertThat(ofAnswer(client, new Seen(100, 100, 9, 7))).isEqualTo(Verdict.OTHER);
        assertThat(ofClient(client, new Seen(100, 100, 9, 7))).isEqualTo(Verdict.OTHER);
    }

    /** Whoever guesses the first bytes only does not choose to be asked for those alone. */
    @Test
    void aFewBytesAreNotEnough() {
        Seen client = new Seen(100, 100, 7, 8);
        assertThat(ofAnswer(client, new Seen(100, 49, 8, 7))).isEqualTo(Verdict.TOO_LITTLE);
        assertThat(ofAnswer(client, new Seen(31, 100, 8, 7))).isEqualTo(Verdict.TOO_LITTLE);
        assertThat(ofAnswer(client, new Seen(0, 0, 8, 7))).isEqualTo(Verdict.TOO_LITTLE);
        assertThat(ofClient(new Seen(100, 10, 7, 8), new Seen(100, 100, 8, 7))).isEqualTo(Verdict.TOO_LITTLE);
        assertThat(Carried.asked(client, CLIENTS).ofAnswer(Carried.NOTHING, client, BOTH))
                .isEqualTo(Verdict.TOO_LITTLE);
    }

    /** Before the first byte nobody can know any, and the server's end does not lead. */
    @Test
    void beforeTheFirstByteTheClientLeads() {
        Seen none = new Seen(0, 0, 7, 8);
        assertThat(ofAnswer(none, new Seen(0, 0, 8, 7))).isEqualTo(Verdict.SAME);
        assertThat(ofClient(none, new Seen(0, 0, 8, 7))).isEqualTo(Verdict.TOO_LITTLE);
    }

    @Test
    void whatNobodyWatchedProvesNothing() {
        assertThat(ofClient(null, null)).isEqualTo(Verdict.TOO_LITTLE);
        assertThat(Carried.NOTHING.ofAnswer(Carried.NOTHING, null, BOTH)).isEqualTo(Verdict.SAME);
    }

    @Test
    void numbersThatCannotBeAreRefused() {
        Seen client = new Seen(200, 200, 7, 8);
        Carried asked = Carried.asked(client, CLIENTS);
        assertThat(asked.ofAnswer(new Carried(65_535, 65_535, 0), client, BOTH)).isEqualTo(Verdict.OTHER);
        assertThat(asked.ofAnswer(new Carried(129, 128, 0), client, BOTH)).isEqualTo(Verdict.OTHER);
        assertThat(new Carried(65_535, 65_535, 0).ofClient(client, CLIENTS)).isEqualTo(Verdict.TOO_LITTLE);
    }

    /** An answer is of no use to a client that has chosen other random numbers. */
    @Test
    void anAnswerIsGoodOnce() {
        Seen client = new Seen(100, 100, 7, 8);
        Carried asked = Carried.asked(client, CLIENTS);
        Carried answer = asked.answer(new Seen(100, 100, 8, 7), BOTH);
        assertThat(asked.ofAnswer(answer, client, Offer.secrets(1, 2, 4))).isEqualTo(Verdict.OTHER);
    }
}
