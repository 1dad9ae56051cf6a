// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class GroupReceiverTest {
    private final MemoryGroup group = new MemoryGroup();
    private final GroupSender sender = new GroupSender(group);
    private final GroupReceiver receiver = new GroupReceiver(group, 0);

    @Test
    void everythingIsReceivedInOrderWhereTheRingWraps() throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = new byte[random.nextInt(3_000)];
            random.nextBytes(bytes);
            send(ByteBuffer.wrap(bytes));
            assertThat(receiver.next()).isEqualTo(bytes.length);
            ByteBuffer dst = ByteBuffer.allocate(3_000);
            assertThat(receiver.take(dst)).isTrue();
            assertThat(dst.flip()).isEqualTo(ByteBuffer.wrap(bytes));
        }
        assertThat(receiver.next()).isEqualTo(DatagramReception.NONE);
        assertThat(receiver.lost()).isZero();
    }

    @Test
    void whoeverIsOvertakenGoesOnWithTheLastAndCountsTheOthers() throws IOException {
        for (int i = 0; i < 20_000; i++) {
            send(text("number " + i));
        }
        assertThat(receive()).isEqualTo("number 19999");
        assertThat(receiver.lost()).isEqualTo(19_999);
        assertThat(receiver.takeLost()).isEqualTo(19_999);
        send(text("next"));
        assertThat(receive()).isEqualTo("next");
        assertThat(receiver.takeLost()).isZero();
    }

    @Test
    void nothingIsTakenThatIsOverwrittenMeanwhile() throws IOException {
        send(text("first"));
        assertThat(receiver.next()).isEqualTo(5);
        while (group.intended <= MemoryGroup.SIZE) {
            send(text("another"));
        }
        ByteBuffer dst = ByteBuffer.allocate(10);
        assertThat(receiver.take(dst)).isFalse();
        assertThat(dst.position()).isZero();
        assertThat(receiver.take(new ByteBuffer[] {dst}, 0, 1)).isEqualTo(DatagramReception.NONE);
        assertThat(receive()).isEqualTo("another");
    }

    /** Header words: the length, the mark, the number. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 8})
    void nonsenseIsRefused(int word) throws IOException {
        send(text("x"));
        send(text("y"));
        assertThat(receive()).isEqualTo("x");
        group.memory.putInt((int) group.latest + word, -1);
        if (word == 8) {
            group.memory.putInt((int) group.latest + word + Integer.BYTES, -1); // a negative number
        }
        assertThatThrownBy(receiver::next).isInstanceOf(CorruptLinkException.class);
    }

    @Test
    void cursorsThatMakeNoSenseAreRefused() throws IOException {
        send(text("x"));
        group.published = -16;
        assertThatThrownBy(receiver::next).isInstanceOf(CorruptLinkException.class);
        group.published = 32;
        group.intended = MemoryGroup.SIZE + 64; // overtaken, but nothing later to go on with
        group.latest = 0;
        assertThatThrownBy(receiver::next).isInstanceOf(CorruptLinkException.class);
    }

    /** Of equal datagrams as many come from the kernel as were not published. */
    @Test
    void eachPublishedDatagramAccountsForOneCopy() throws IOException {
        send(text("a"));
        send(text("b"));
        send(text("a"));
        assertThat(receiver.isCopy(text("a"))).isTrue();
        assertThat(receiver.isCopy(text("unicast"))).isFalse();
        assertThat(receiver.awaitsCopy()).isFalse();
        assertThat(receiver.isCopy(text("a"))).as("the kernel has lost b").isTrue();
        assertThat(receiver.isCopy(text("a"))).isFalse();
        assertThat(receiver.isCopy(text("b"))).isFalse();
        sender.write(text("under way"));
        assertThat(receiver.isCopy(text("under way")))
                .as("written, not yet published")
                .isTrue();
    }

    @Test
    void datagramsThatTheRingHasLostAreTheKernelsToDeliver() throws IOException {
        send(text("lost"));
        for (int i = 0; i < 20_000; i++) {
            send(text("number " + i));
        }
        assertThat(receiver.isCopy(text("lost"))).isFalse();
        assertThat(receive()).isEqualTo("number 19999");
        assertThat(receiver.isCopy(text("number 5"))).isFalse();
        assertThat(receiver.isCopy(text("number 19999"))).isTrue();
    }

    @Test
    void whoeverLeavesStillHasWhatWasPublishedBefore() throws IOException {
        send(text("before"));
        receiver.leave();
        send(text("after"));
        assertThat(receiver.isDone()).isFalse();
        assertThat(receive()).isEqualTo("before");
        assertThat(receiver.ready()).isFalse();
        assertThat(receiver.next()).isEqualTo(DatagramReception.NONE);
        assertThat(receiver.isDone()).isTrue();
    }

    private void send(ByteBuffer bytes) throws IOException {
        sender.write(bytes);
        sender.publish();
    }

    private String receive() throws IOException {
        ByteBuffer dst = ByteBuffer.allocate(100);
        assertThat(receiver.next()).isNotEqualTo(DatagramReception.NONE);
        assertThat(receiver.take(dst)).isTrue();
        return StandardCharsets.US_ASCII.decode(dst.flip()).toString();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }
}
