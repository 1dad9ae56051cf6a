// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Channels in non-blocking mode, and those that change their mode. */
@Tag("datagram")
class DatagramNonBlockingTest extends DatagramSupport {
    @Test
    void nothingToReceive() throws IOException {
        Ends ends = connectedEnds().nonBlocking();
        ByteBuffer buffer = ByteBuffer.allocate(10).position(3);
        assertThat(ends.left().receive(buffer)).isNull();
        assertThat(ends.left().read(buffer)).isZero();
        assertThat(ends.left().read(new ByteBuffer[] {buffer, ByteBuffer.allocateDirect(5)}))
                .isZero();
        assertThat(buffer.position()).isEqualTo(3);
        assertThat(bound().configureBlocking(false).isBlocking()).isFalse();
    }

    @Test
    void nothingAgainWhenAllIsReceived() throws IOException {
        Ends ends = ends().nonBlocking();
        for (int round = 0; round < 20; round++) {
            send(ends.left(), "x", addressOf(ends.right()));
            assertThat(receiveText(ends.right())).isEqualTo("x");
            assertThat(ends.right().receive(ByteBuffer.allocate(1))).isNull();
        }
    }

    @Test
    void emptyDatagramIsToldFromNone() throws IOException {
        Ends ends = ends().nonBlocking();
        ByteBuffer buffer = ByteBuffer.allocate(10);
        assertThat(ends.right().receive(buffer)).isNull();
        send(ends.left(), "", addressOf(ends.right()));
        eventually().until(() -> addressOf(ends.left()).equals(ends.right().receive(buffer)));
        assertThat(buffer.position()).isZero();
        assertThat(ends.right().receive(buffer)).isNull();
    }

    /** As the JDK has it: it tells of an empty datagram as of the end of a stream, and the channel goes on. */
    @Test
    void emptyDatagramIsTakenByARead() throws IOException {
        Ends ends = connectedEnds();
        ends.left().disconnect();
        ByteBuffer buffer = ByteBuffer.allocate(10);
        for (int round = 0; round < 3; round++) {
            send(ends.left(), "", addressOf(ends.right()));
            send(ends.left(), "", addressOf(ends.right()));
            send(ends.left(), "next", addressOf(ends.right()));
            assertThat(ends.right().read(buffer)).isEqualTo(-1);
            assertThat(ends.right().read(new ByteBuffer[] {buffer, ByteBuffer.allocate(1)}))
                    .isEqualTo(-1);
            assertThat(buffer.position()).isZero();
            assertThat(receiveText(ends.right())).isEqualTo("next");
        }
    }

    /** As the JDK has it: a write of nothing sends nothing, a send of nothing to nobody in particular does. */
    @Test
    void emptyBufferOnAConnectedChannelIsNotSent() throws IOException {
        Ends ends = connectedEnds().nonBlocking();
        assertThat(ends.left().write(ByteBuffer.allocate(0))).isZero();
        assertThat(ends.left().send(ByteBuffer.allocateDirect(0), addressOf(ends.right())))
                .isZero();
        assertNothingArrives(ends.right());
    }

    @Test
    void readIntoAFullBufferTakesNothing() throws IOException {
        Ends ends = connectedEnds().nonBlocking();
        ends.left().write(Bytes.ascii("kept"));
        pause(5);
        assertThat(ends.right().read(ByteBuffer.allocate(0))).isZero();
        assertThat(ends.right().read(new ByteBuffer[] {ByteBuffer.allocate(0)})).isZero();
        assertThat(receiveText(ends.right())).isEqualTo("kept");
    }

    @Test
    void receivedOneAtATime() throws IOException {
        Ends ends = ends().nonBlocking();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < FEW; i++) {
                send(ends.left(), round + " " + i, addressOf(ends.right()));
            }
            for (int i = 0; i < FEW; i++) {
                assertThat(receiveText(ends.right())).isEqualTo(round + " " + i);
            }
            assertThat(ends.right().receive(ByteBuffer.allocate(1))).isNull();
        }
    }

    @Test
    void modeMayChangeAtAnyTime() throws Exception {
        Ends ends = ends();
        for (int round = 0; round < 40; round++) {
            ends.right().configureBlocking(round % 2 == 0);
            ends.left().configureBlocking(round % 3 == 0);
            assertThat(ends.right().isBlocking()).isEqualTo(round % 2 == 0);
            send(ends.left(), "round " + round, addressOf(ends.right()));
            assertThat(receiveText(ends.right())).isEqualTo("round " + round);
        }
        ends.right().configureBlocking(true);
        Task<String> receiver = start(() -> receiveText(ends.right())).awaitInside("receive");
        send(ends.left(), "last", addressOf(ends.right()));
        assertThat(receiver.result()).isEqualTo("last");
    }

    @Test
    void whatCameInOneModeIsReceivedInTheOther() throws IOException {
        Ends ends = ends();
        for (boolean blocking : new boolean[] {true, false, true}) {
            ends.right().configureBlocking(!blocking);
            send(ends.left(), "kept", addressOf(ends.right()));
            pause(5);
            ends.right().configureBlocking(blocking);
            assertThat(receiveText(ends.right())).isEqualTo("kept");
        }
    }

    @Test
    void oneThreadDrivesManyChannels() throws IOException {
        DatagramChannel[] channels = new DatagramChannel[8];
        for (int i = 0; i < channels.length; i++) {
            channels[i] = bound();
            channels[i].configureBlocking(false);
        }
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < channels.length; i++) {
                send(channels[i], "from " + i, addressOf(channels[(i + round) % channels.length]));
            }
            for (int i = 0; i < channels.length; i++) {
                Datagram datagram = receive(channels[(i + round) % channels.length]);
                assertThat(datagram).isEqualTo(new Datagram(addressOf(channels[i]), Bytes.ascii("from " + i)));
            }
        }
        for (DatagramChannel channel : channels) {
            assertThat(channel.receive(ByteBuffer.allocate(1))).isNull();
        }
    }
}
