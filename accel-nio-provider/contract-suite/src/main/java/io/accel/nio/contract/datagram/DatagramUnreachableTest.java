// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A connected channel is told that nobody has its peer's port. */
@Tag("datagram")
class DatagramUnreachableTest extends DatagramSupport {
    @Test
    void blockedReadEnds() throws Exception {
        DatagramChannel channel = connectedToNobody();
        Task<Integer> reader =
                start(() -> channel.read(ByteBuffer.allocate(10))).awaitInside("read");
        channel.write(Bytes.ascii("x"));
        assertThat(reader.failure()).isInstanceOf(PortUnreachableException.class);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.isConnected()).isTrue();
    }

    @Test
    void blockedReceiveEnds() throws Exception {
        DatagramChannel channel = connectedToNobody();
        Task<Object> receiver =
                start(() -> (Object) channel.receive(ByteBuffer.allocate(10))).awaitInside("receive");
        channel.write(Bytes.ascii("x"));
        assertThat(receiver.failure()).isInstanceOf(PortUnreachableException.class);
    }

    @Test
    void readAfterAWriteFailsOnce() throws IOException {
        DatagramChannel channel = connectedToNobody();
        channel.write(Bytes.ascii("x"));
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10))).isInstanceOf(PortUnreachableException.class);
        channel.configureBlocking(false);
        assertThat(channel.read(ByteBuffer.allocate(10))).isZero();
        assertThat(channel.receive(ByteBuffer.allocate(10))).isNull();
    }

    @Test
    void writeAfterAWriteFails() throws IOException {
        DatagramChannel channel = connectedToNobody();
        channel.write(Bytes.ascii("x"));
        awaitError(channel);
        ByteBuffer second = Bytes.ascii("y");
        assertThatThrownBy(() -> channel.write(second)).isInstanceOf(PortUnreachableException.class);
        assertThat(second.position()).isZero();
        assertThat(channel.write(second)).as("the error has been told").isEqualTo(1);
    }

    @Test
    void sendAfterASendFails() throws IOException {
        DatagramChannel channel = connectedToNobody();
        InetSocketAddress nobody = (InetSocketAddress) channel.getRemoteAddress();
        send(channel, "x", nobody);
        awaitError(channel);
        assertThatThrownBy(() -> channel.send(Bytes.ascii("y"), nobody)).isInstanceOf(PortUnreachableException.class);
    }

    @Test
    void peerThatClosesIsUnreachable() throws IOException {
        Ends ends = connectedEnds();
        ends.left().write(Bytes.ascii("heard"));
        assertThat(receiveText(ends.right())).isEqualTo("heard");
        ends.right().close();
        ends.left().write(Bytes.ascii("lost"));
        assertThatThrownBy(() -> ends.left().read(ByteBuffer.allocate(10)))
                .isInstanceOf(PortUnreachableException.class);
    }

    @Test
    void peerThatClosesWakesTheReaderOfAnswers() throws Exception {
        Ends ends = connectedEnds();
        Task<Integer> reader =
                start(() -> ends.left().read(ByteBuffer.allocate(10))).awaitInside("read");
        ends.right().close();
        assertThat(reader.finishesWithin(50)).as("a close alone is not heard").isFalse();
        ends.left().write(Bytes.ascii("lost"));
        assertThat(reader.failure()).isInstanceOf(PortUnreachableException.class);
    }

    @Test
    void whatThePeerSentBeforeItClosedIsReceived() throws IOException {
        Ends ends = connectedEnds();
        for (int i = 0; i < 5; i++) {
            ends.right().write(Bytes.ascii("last words " + i));
        }
        ends.right().close();
        for (int i = 0; i < 5; i++) {
            assertThat(receiveText(ends.left())).isEqualTo("last words " + i);
        }
        assertNothingArrives(ends.left());
    }

    /** However much of what the peer has sent is unread. */
    @Test
    void errorComesBeforeWhatIsUnread() throws IOException {
        for (boolean scatters : new boolean[] {false, true}) {
            Ends ends = connectedEnds();
            for (int i = 0; i < 3; i++) {
                ends.right().write(Bytes.ascii("last words " + i));
            }
            assertThat(receiveText(ends.left())).isEqualTo("last words 0");
            InetSocketAddress address = addressOf(ends.right());
            ends.right().close();
            ends.left().write(Bytes.ascii("lost"));
            awaitErrorOfALaterWrite(address);
            ByteBuffer room = ByteBuffer.allocate(100);
            assertThatThrownBy(() -> {
                        long unused = scatters
                                ? ends.left().read(new ByteBuffer[] {room})
                                : ends.left().read(room);
                    })
                    .isInstanceOf(PortUnreachableException.class);
            assertThat(receiveText(ends.left())).isEqualTo("last words 1");
            assertThat(receiveText(ends.left())).isEqualTo("last words 2");
        }
    }

    /** Until then the JDK's keeps its port, and Accel's may not: docs/LIMITS.md. */
    @Test
    void peerThatIsRegisteredIsUnreachableAfterTheNextSelection() throws IOException {
        Ends ends = connectedEnds().nonBlocking();
        SelectionKey key = register(ends.right(), selector(), SelectionKey.OP_READ);
        ends.right().close();
        ByteBuffer room = ByteBuffer.allocate(10);
        if (Path.current() == Path.JDK) {
            ends.left().write(Bytes.ascii("early"));
            assertThat(ends.left().read(room)).isZero();
        }
        key.selector().selectNow();
        ends.left().write(Bytes.ascii("late"));
        awaitError(ends.left());
        assertThatThrownBy(() -> ends.left().read(room)).isInstanceOf(PortUnreachableException.class);
    }

    /** A peer that is there, and is connected to somebody else, is told by the kernel alone: docs/LIMITS.md. */
    @Test
    void peerThatIsConnectedToAnother() throws IOException {
        Ends ends = connectedEnds();
        ends.right().disconnect().connect(addressOf(bound()));
        ends.left().configureBlocking(false);
        ends.left().write(Bytes.ascii("not for it"));
        if (Path.current().isKernels()) {
            awaitError(ends.left());
            assertThatThrownBy(() -> ends.left().read(ByteBuffer.allocate(10)))
                    .isInstanceOf(PortUnreachableException.class);
        } else {
            assertThat(ends.left().read(ByteBuffer.allocate(10))).isZero();
        }
        assertNothingArrives(ends.right());
    }

    @Test
    void selectorTellsOfTheError() throws IOException {
        DatagramChannel channel = connectedToNobody();
        SelectionKey key = register(channel, selector(), SelectionKey.OP_READ);
        assertThat(key.selector().selectNow()).isZero();
        channel.write(Bytes.ascii("x"));
        awaitReady(key, SelectionKey.OP_READ);
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10))).isInstanceOf(PortUnreachableException.class);
        key.selector().selectedKeys().clear();
        assertThat(key.selector().selectNow()).isZero();
    }

    @Test
    void channelWithoutAPeerIsNotTold() throws IOException {
        DatagramChannel channel = bound();
        InetSocketAddress nobody = nobodyHasIt();
        send(channel, "x", nobody);
        send(channel, "y", nobody);
        assertNothingArrives(channel);
    }

    /** A peer that comes back on its port is heard again. */
    @Test
    void peerThatReturnsIsReachedAgain() throws IOException {
        Ends ends = connectedEnds();
        InetSocketAddress address = addressOf(ends.right());
        ends.right().close();
        ends.left().write(Bytes.ascii("lost"));
        assertThatThrownBy(() -> ends.left().read(ByteBuffer.allocate(10)))
                .isInstanceOf(PortUnreachableException.class);
        DatagramChannel returned = datagrams().bind(address);
        warm(ends.left(), returned);
        ends.left().write(Bytes.ascii("found"));
        assertThat(receiveText(returned)).isEqualTo("found");
    }

    /**
     * Waits until the kernel has an error to tell of a channel that has nothing to receive: where its processors are busy it comes
     * later than the call that has sent returns. The channel keeps its blocking mode.
     */
    private static void awaitError(DatagramChannel channel) throws IOException {
        boolean blocking = channel.isBlocking();
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(LIMIT_MILLIS))
                    .as("channels with an error")
                    .isOne();
        }
        channel.configureBlocking(blocking);
    }

    /** The same where what is unread hides the error from a selector: the error of a later write comes behind it. */
    private void awaitErrorOfALaterWrite(InetSocketAddress nobody) throws IOException {
        DatagramChannel later = bound().connect(nobody);
        later.write(Bytes.ascii("x"));
        assertThatThrownBy(() -> later.read(ByteBuffer.allocate(10))).isInstanceOf(PortUnreachableException.class);
    }

    private DatagramChannel connectedToNobody() throws IOException {
        return bound().connect(nobodyHasIt());
    }

    /** A port that was free a moment ago, of the many that the system may give to the next who asks. */
    private InetSocketAddress nobodyHasIt() throws IOException {
        try (DatagramChannel gone = bound()) {
            return addressOf(gone);
        }
    }
}
