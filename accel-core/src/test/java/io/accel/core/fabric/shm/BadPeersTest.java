// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.Link;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.stream.CorruptLinkException;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A connected peer that writes nonsense into the shared memory: cursors, states, sleepers, rings, headers. The connection
 * ends with an exception or its bytes are the peer's own nonsense; the process and other connections live on.
 */
class BadPeersTest {
    private static final int ROUNDS = 300;

    private ShmEnds ends;
    private ShmEnds.Acceptor acceptor;
    private Fabric.Listening listening;
    private MappedByteBuffer memory;
    private RawClient client;
    private Link link;

    @BeforeEach
    void connect() throws Exception {
        ends = new ShmEnds();
        acceptor = new ShmEnds.Acceptor(2);
        listening = ends.fabric().listen(ShmEnds.address("127.0.0.1"), acceptor);
        dial();
    }

    private void dial() throws Exception {
        Path rendezvous = ends.rendezvous("127.0.0.1");
        long nonce = 77;
        client = new RawClient(rendezvous).go(nonce);
        memory = SharedFile.create(rendezvous.resolve("ring-4d"), ShmEnds.RING, nonce, "");
        client.say(Hello.MADE);
        assertThat(client.status()).isEqualTo(Hello.DONE);
        memory.order(java.nio.ByteOrder.nativeOrder()).putInt(ShmLayout.CLIENT_BLOCK + ShmLayout.STATE, Link.ATTACHED);
        client.say((byte) 0); // rings
        link = acceptor.next().link();
    }

    private void hangUp() throws IOException {
        link.free();
        acceptor.unreserve();
        client.close();
        JdkAccess.unmap(memory);
    }

    @AfterEach
    void close() throws IOException {
        hangUp();
        listening.close();
        try (ShmEnds closing = ends) {
            assertThat(closing.content()).isEmpty();
        }
    }

    @Test
    void nonsenseInAProducerCursorEndsTheConnection() throws Exception {
        for (long nonsense : new long[] {-1, ShmEnds.RING + 1L, Long.MIN_VALUE, Long.MAX_VALUE}) {
            put(ShmLayout.CLIENT_BLOCK + ShmLayout.PRODUCER, nonsense);
            StreamReceiver receiver = new StreamReceiver(link);
            assertThat(receiver.ready()).isTrue();
            assertThat(catchThrowable(() -> receiver.read(ByteBuffer.allocate(100))))
                    .isInstanceOf(CorruptLinkException.class);
        }
        // The peer is told, if it cares.
        assertThat(memory.order(java.nio.ByteOrder.nativeOrder()).getInt(ShmLayout.SERVER_BLOCK + ShmLayout.STATE))
                .isEqualTo(Link.RST);
        othersConnect();
    }

    @Test
    void nonsenseInAConsumerCursorEndsTheConnection() throws Exception {
        for (long nonsense : new long[] {-1, ShmEnds.RING + 1L, Long.MIN_VALUE, Long.MAX_VALUE}) {
            put(ShmLayout.SERVER_BLOCK + ShmLayout.CONSUMER, 0);
            StreamSender sender = new StreamSender(link, 1);
            assertThat(sender.write(ByteBuffer.allocate(ShmEnds.RING))).isEqualTo(ShmEnds.RING);
            put(ShmLayout.SERVER_BLOCK + ShmLayout.CONSUMER, nonsense);
            assertThat(sender.ready() || nonsense < 0).isTrue();
            assertThat(catchThrowable(() -> sender.write(ByteBuffer.allocate(1))))
                    .isInstanceOf(CorruptLinkException.class);
        }
        othersConnect();
    }

    /** A peer that rings unasked wants to keep a thread busy that serves others, too. */
    @Test
    void ringingUnaskedEndsTheConnection() throws Exception {
        for (int i = 0; i < 3; i++) {
            link.arm(Link.DATA);
            assertThat(client.socket.write(ByteBuffer.allocate(1))).isEqualTo(1);
            assertThat(link.drainDoorbell()).isTrue();
            assertThat(link.drainDoorbell()).isFalse();
            assertThat(link.peerGone()).isFalse();
        }
        assertThat(client.socket.write(ByteBuffer.allocate(1))).isEqualTo(1);
        assertThat(link.drainDoorbell()).isTrue();
        assertThat(link.peerGone()).isTrue();
        assertThatThrownBy(() -> new StreamReceiver(link).read(ByteBuffer.allocate(1)))
                .isInstanceOf(IOException.class);
        othersConnect();
    }

    /** However many bytes lie in the doorbell, one read takes them. */
    @Test
    void aDoorbellIsDrainedInOneRead() throws Exception {
        int armings = 1_000;
        for (int i = 0; i < armings; i++) {
            link.arm(Link.DATA);
        }
        assertThat(client.socket.write(ByteBuffer.allocate(armings))).isEqualTo(armings);
        int drains = 0;
        while (link.drainDoorbell()) {
            drains++;
        }
        assertThat(drains).isGreaterThan(1);
        assertThat(link.peerGone()).isFalse();
    }

    @Test
    void randomNonsenseEverywhereHarmsNobodyElse() throws Exception {
        Random random = new Random(11);
        int failures = 0;
        for (int round = 0; round < ROUNDS; round++) {
            StreamReceiver receiver = new StreamReceiver(link);
            StreamSender sender = new StreamSender(link, 1);
            for (int i = 0; i < 50; i++) {
                scribble(random);
                link.arm(Link.DATA | Link.SPACE);
                link.drainDoorbell();
                assertThat(receiver.available()).isBetween(0, receiver.ready() || sender.ready() ? ShmEnds.RING : 0);
                failures += failed(() -> receiver.read(ByteBuffer.allocate(random.nextInt(40_000))));
                failures += failed(() -> receiver.read(
                        new ByteBuffer[] {ByteBuffer.allocate(10), ByteBuffer.allocateDirect(20_000)}, 0, 2));
                failures += failed(() -> sender.write(ByteBuffer.allocate(random.nextInt(40_000))));
            }
            link.signal(Link.RST | Link.CLOSED);
            hangUp();
            dial();
        }
        assertThat(failures).isGreaterThan(ROUNDS);
        othersConnect();
    }

    private interface Operation {
        long run() throws IOException;
    }

    /** 1 if it failed, as it may with an IOException and in no other way. */
    private static int failed(Operation operation) {
        Throwable thrown = catchThrowable(operation::run);
        if (thrown != null) {
            assertThat(thrown).isInstanceOf(IOException.class);
        }
        return thrown == null ? 0 : 1;
    }

    private void scribble(Random random) {
        int block = random.nextBoolean() ? ShmLayout.CLIENT_BLOCK : ShmLayout.SERVER_BLOCK;
        switch (random.nextInt(6)) {
            case 0 -> put(block + ShmLayout.PRODUCER, random.nextLong());
            case 1 -> put(block + ShmLayout.CONSUMER, random.nextLong());
            case 2 -> put(block + ShmLayout.PRODUCER, random.nextInt(2 * ShmEnds.RING));
            case 3 -> put(block + ShmLayout.CONSUMER, random.nextInt(2 * ShmEnds.RING));
            case 4 -> memory.putInt(block + ShmLayout.SLEEPERS, random.nextInt());
            default -> memory.putLong(random.nextInt(ShmLayout.CLIENT_BLOCK / 8) * 8, random.nextLong());
        }
        if (random.nextInt(20) == 0) {
            memory.putInt(block + ShmLayout.STATE, random.nextInt());
        }
    }

    private void put(int at, long value) {
        memory.order(java.nio.ByteOrder.nativeOrder()).putLong(at, value);
    }

    private void othersConnect() throws Exception {
        Link other = ends.connect("127.0.0.1");
        Link accepted = acceptor.next().link();
        assertThat(new StreamSender(other, 1).write(ByteBuffer.allocate(10))).isEqualTo(10);
        assertThat(new StreamReceiver(accepted).read(ByteBuffer.allocate(20))).isEqualTo(10);
        other.free();
        accepted.free();
        acceptor.unreserve();
    }
}
