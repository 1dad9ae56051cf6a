// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** While a tap is set, it takes each byte of the stream once, and changes nothing about the stream. */
@Timeout(60)
class StreamTapTest {
    private static final int RING = 1 << 10;
    private static final int NOT_TAPPED = -1;

    /** Checks each byte against its place in the stream. */
    private static final class Checking implements StreamTap {
        long next = NOT_TAPPED;
        boolean ended;
        boolean reset;

        @Override
        public void take(MemoryRegion ring, long cursor, int n, long position) {
            if (next != NOT_TAPPED) {
                assertThat(position).isEqualTo(next);
            }
            ByteBuffer bytes = ByteBuffer.allocate(n);
            ring.copyOut(cursor, bytes, 0, n);
            for (int i = 0; i < n; i++) {
                assertThat(bytes.get(i)).isEqualTo(StreamBytes.at(position + i));
            }
            next = position + n;
        }

        @Override
        public void end(boolean isReset) {
            ended = true;
            reset = isReset;
        }
    }

    private final LoopbackLink[] ends = LoopbackLink.pair(RING);
    private final StreamSender sender = new StreamSender(ends[0], 1);
    private final StreamReceiver receiver = new StreamReceiver(ends[1]);
    private long sent;
    private long received;
    private long lentFrom = Long.MAX_VALUE;

    private void send(int wanted) throws IOException {
        ByteBuffer source = StreamBytes.source(sent, wanted, false);
        sent += sender.write(source);
    }

    private void receive(int room) throws IOException {
        ByteBuffer sink = StreamBytes.sink(room, false);
        receiver.read(sink);
        StreamBytes.check(sink, received);
        received += StreamBytes.taken(sink);
    }

    private void lend(int most) throws IOException {
        long before = receiver.position();
        int n = receiver.lend(1, most);
        if (n > 0) {
            lentFrom = Math.min(lentFrom, before);
            received += n;
        }
    }

    private void giveBack() {
        lentFrom = Long.MAX_VALUE;
        receiver.keep(lentFrom);
    }

    /** A tap that is set from one operation to another has taken the bytes between them, and nothing else. */
    @Test
    void eachByteOfTheTimeIsTakenOnce() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            StreamTapTest each = new StreamTapTest();
            each.run(new Random(seed));
        }
    }

    private void run(Random random) throws IOException {
        long kernel = random.nextInt(3) * 1_000L;
        boolean begins = random.nextBoolean();
        if (begins) {
            sent = kernel;
            received = kernel;
            assertThat(sender.begin(kernel)).isTrue();
            assertThat(receiver.takePreface()).isEqualTo(kernel);
        }
        for (int round = 0; round < 30; round++) {
            Checking out = new Checking();
            Checking in = new Checking();
            long sentBefore = sent;
            long receivedBefore = received;
            sender.tap(out);
            receiver.tap(in);
            traffic(random);
            sender.untap();
            receiver.untap();
            assertThat(out.next).isEqualTo(sent == sentBefore ? NOT_TAPPED : sent);
            assertThat(in.next).isEqualTo(received == receivedBefore ? NOT_TAPPED : received);
            traffic(random);
        }
        giveBack();
        while (received < sent) {
            receive(100);
        }
        assertThat(ends[1].credited()).as("as much as without a tap").isGreaterThan(receiver.position() - RING / 4);
    }

    private void traffic(Random random) throws IOException {
        for (int i = random.nextInt(40); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> send(1 + random.nextInt(RING));
                case 3, 4 -> receive(1 + random.nextInt(RING));
                default -> {
                    lend(1 + random.nextInt(RING / 8));
                    if (random.nextBoolean()) {
                        giveBack();
                    }
                }
            }
        }
    }

    @Test
    void spaceIsGivenBackByQuartersAsWithoutATap() throws IOException {
        receiver.tap(new Checking());
        send(RING);
        receive(RING / 4 - 1);
        assertThat(ends[1].credited()).isZero();
        receive(1);
        assertThat(ends[1].credited()).isEqualTo(RING / 4);
        receiver.untap();
        receive(RING / 4);
        assertThat(ends[1].credited()).isEqualTo(RING / 2);
    }

    @Test
    void positionsGoOnWhereADirectionHasGoneByTheKernelInBetween() throws IOException {
        Checking out = new Checking();
        Checking in = new Checking();
        sender.tap(out);
        receiver.tap(in);
        assertThat(sender.begin(0)).isTrue();
        assertThat(receiver.takePreface()).isZero();
        send(300);
        receive(300);
        sender.leave();
        receiver.read(ByteBuffer.allocate(1));
        receiver.follow();
        int byKernel = 50;
        sent += byKernel;
        received += byKernel;
        assertThat(sender.begin(byKernel)).isTrue();
        assertThat(receiver.takePreface()).isEqualTo(byKernel);
        out.next = NOT_TAPPED;
        in.next = NOT_TAPPED;
        send(300);
        receive(300);
        assertThat(out.next).isEqualTo(650);
        assertThat(in.next).isEqualTo(650);
    }

    @Test
    void aTapHearsOfTheEnd() throws IOException {
        Checking out = new Checking();
        Checking in = new Checking();
        sender.tap(out);
        receiver.tap(in);
        send(10);
        sender.finish();
        assertThat(out.ended).isTrue();
        receive(10);
        assertThat(in.ended).isFalse();
        assertThat(receiver.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(in.ended).isTrue();
        assertThat(out.reset || in.reset).isFalse();
    }

    @Test
    void whatNobodyReadsIsNotTaken() throws IOException {
        Checking out = new Checking();
        sender.tap(out);
        ends[0].losePeer();
        send(10);
        assertThat(out.next).isEqualTo(NOT_TAPPED);
        sender.untap();
        sender.tap(out);
        assertThat(sender.room(0)).isZero();
        assertThatThrownBy(() -> send(10)).hasMessage("Broken pipe");
        assertThat(out.next).isEqualTo(NOT_TAPPED);
    }
}
