// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.FallbackReason;
import io.accel.testing.Background;
import io.accel.testing.TcpConnections;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The TCP connection fails beneath a link that works: of shared memory, or of a fabric that can break and has bytes under way. {@code
 * FailureTest} of the contract suite has what the program sees.
 */
@Timeout(60)
class AbandonedLinkTest {
    private static final String KILLED = "Software caused connection abort";
    private static final String RESET = "Connection reset";

    private FaultLab lab;
    private BlockingWaits waits;
    private Lab.Pair pair;
    /** What happens when Accel is about to send over an anchor, and has looked at it. */
    private volatile Step beforeSend = () -> {};

    private interface Step {
        void take() throws Exception;
    }

    private void open(boolean canBreak) throws Exception {
        open(canBreak, true);
    }

    /** Both ends free the link. */
    private void awaitFreed(LinkStream... links) {
        FaultLab.soon(() -> assertThat(lab.faults.out())
                .as("%s; misused: %s", List.of(links), lab.faults.misuse())
                .startsWith("handshakes 0, links 0"));
    }

    private LinkStream[] links() {
        return new LinkStream[] {pair.client().attached(), pair.server().attached()};
    }

    /** @param serverWatched whether the server's kernel tells Accel of a failure */
    private void open(boolean canBreak, boolean serverWatched) throws Exception {
        openLab(canBreak, Map.of("ring.size", "16KiB"));
        pair = lab.lab.connect();
        Streams.send(waits, pair.client(), 1000, 1);
        Streams.receive(waits, pair.server(), 1000, 1);
        Streams.send(waits, pair.server(), 1000, 2);
        Streams.receive(waits, pair.client(), 1000, 2);
        if (!serverWatched) {
            AnchorWatch.get().remove(pair.server().attached());
        }
    }

    private void openLab(boolean canBreak, Map<String, String> settings) throws Exception {
        assumeTrue(TcpConnections.mayBeKilled(), "needs root, to end a TCP connection");
        lab = new FaultLab("balanced", settings);
        lab.faults.isResumable = canBreak;
        lab.lab.anchors = channel -> steppedIn(new ChannelAnchor(channel));
        waits = lab.lab.accelerator.waits();
    }

    /** Opens a connection whose link neither direction has come to, and of whose failure no thread of Accel's is told. */
    private void openUnused(boolean canBreak) throws Exception {
        openLab(canBreak, Map.of("ring.size", "16KiB"));
        pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.client());
        Lab.awaitSettled(pair.server());
        for (StreamSocket end : new StreamSocket[] {pair.client(), pair.server()}) {
            AnchorWatch.get().remove(end.attached());
        }
    }

    private Anchor steppedIn(Anchor anchor) {
        return (Anchor) Proxy.newProxyInstance(
                Anchor.class.getClassLoader(), new Class<?>[] {Anchor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("send")) {
                        beforeSend.take();
                    }
                    try {
                        return method.invoke(anchor, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** As {@link #openUnused}, and the client has written: its other direction is on the kernel's path. */
    private void openWithOutputOnTheLink(boolean canBreak) throws Exception {
        openUnused(canBreak);
        Streams.send(waits, pair.client(), 1000, 1);
        Streams.receive(waits, pair.server(), 1000, 1);
        assertThat(pair.client().outgoing().link()).isNotNull();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        if (lab == null) {
            return;
        }
        pair.close();
        try {
            lab.nothingIsLeft();
        } finally {
            lab.close();
        }
    }

    private static void kill(StreamSocket socket) throws Exception {
        SocketChannel channel = Lab.channel(socket);
        TcpConnections.kill(channel.getLocalAddress(), channel.getRemoteAddress());
    }

    private Background<Integer> reading(StreamSocket socket) {
        Background<Integer> reader = Background.start(() -> Streams.read(waits, socket, ByteBuffer.allocate(1)));
        reader.awaitAsleep();
        return reader;
    }

    private static void assertTold(Background<?> call, String message) {
        assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessage(message);
    }

    private void assertWriteIsTold(StreamSocket socket, String message) {
        assertThatThrownBy(() -> Streams.write(waits, socket, ByteBuffer.allocate(1)))
                .isInstanceOf(IOException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothEndsAreToldAndFreeTheLink(boolean canBreak) throws Exception {
        open(canBreak);
        LinkStream[] links = links();
        Background<Integer> here = reading(pair.client());
        Background<Integer> there = reading(pair.server());
        kill(pair.client());
        assertTold(here, KILLED);
        assertTold(there, RESET);
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
        assertWriteIsTold(pair.client(), "Broken pipe");
        assertWriteIsTold(pair.server(), "Broken pipe");
        awaitFreed(links);
        assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.CONNECTION_ENDED);
        assertThat(pair.server().path().reason()).isEqualTo(FallbackReason.CONNECTION_ENDED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatHadComeIsReadAtBothEnds(boolean canBreak) throws Exception {
        open(canBreak);
        Streams.send(waits, pair.client(), 5000, 3);
        Streams.send(waits, pair.server(), 6000, 4);
        kill(pair.server());
        Streams.receive(waits, pair.client(), 6000, 4);
        Streams.receive(waits, pair.server(), 5000, 3);
        assertTold(Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1))), RESET);
        assertTold(Background.start(() -> Streams.read(waits, pair.server(), ByteBuffer.allocate(1))), KILLED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndThatIsNotWatchedHearsByTheLink(boolean canBreak) throws Exception {
        open(canBreak, false);
        LinkStream[] links = links();
        Background<Integer> there = reading(pair.server());
        kill(pair.client());
        assertTold(there, RESET);
        assertWriteIsTold(pair.client(), KILLED);
        awaitFreed(links);
        assertThat(pair.server().path().reason()).isEqualTo(FallbackReason.CONNECTION_ENDED);
    }

    /** The end that is not watched has no thread at the link, and answers by the thread that gives links back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndThatUsesTheLinkNoMoreHasSentAll(boolean canBreak) throws Exception {
        open(canBreak, false);
        LinkStream[] links = links();
        Background<Integer> here = reading(pair.client());
        kill(pair.client());
        assertTold(here, KILLED);
        awaitFreed(links);
    }

    /** A reset that is lost on the way leaves the other end's TCP connection as it was, which then decides, as without Accel. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndWhoseKernelKnowsNothingGoesOnThroughTheKernel(boolean canBreak) throws Exception {
        open(canBreak);
        LinkStream[] links = links();
        Background<Integer> reader = reading(pair.server());
        Streams.send(waits, pair.server(), 500, 5);
        pair.client().attached().broken().giveUp();
        pair.client().attached().broken().abandon();
        Streams.receive(waits, pair.client(), 500, 5);
        awaitFreed(links);
        Streams.send(waits, pair.client(), 1, 6);
        assertThat(reader.get(10, TimeUnit.SECONDS)).isEqualTo(1);
        Streams.send(waits, pair.server(), 20_000, 7);
        Streams.receive(waits, pair.client(), 20_000, 7);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterThatWaitsForRoomIsTold(boolean canBreak) throws Exception {
        open(canBreak);
        pair.fixDirections(); // so that a full ring does not make it go back
        Background<Void> writer = Background.start(() -> {
            Streams.send(waits, pair.client(), 1 << 20, 8);
            return null;
        });
        writer.awaitAsleep();
        kill(pair.client());
        assertTold(writer, KILLED);
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    /** The kernel reports a failure once, perhaps to a byte of Accel's own. */
    @Test
    void aFailureThatTheKernelReportsToAccelIsTheProgramsFirst() throws Exception {
        open(false);
        for (StreamSocket end : new StreamSocket[] {pair.client(), pair.server()}) {
            AnchorWatch.get().remove(end.attached());
        }
        failTheClientsOwnSend();
        pair.client().attached().broken().giveUp();
        pair.client().attached().broken().abandon();
        assertTold(Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1))), KILLED);
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
        assertWriteIsTold(pair.client(), "Broken pipe");
    }

    /** Sends a byte of Accel's own, and has the connection fail when that was begun, so that the kernel reports it there. */
    private void failTheClientsOwnSend() {
        beforeSend = () -> {
            beforeSend = () -> {};
            kill(pair.client());
        };
        assertThatThrownBy(() -> pair.client().loss().send(ByteBuffer.allocate(1)))
                .hasMessage(KILLED);
    }

    /** The kernel tells the reader, which is on its path; the writer has not come to the link yet. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriteBehindAReadThatWasToldComesToNoLink(boolean canBreak) throws Exception {
        openUnused(canBreak);
        kill(pair.client());
        assertTold(Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1))), KILLED);
        assertWriteIsTold(pair.client(), "Broken pipe");
        assertWriteIsTold(pair.client(), "Broken pipe");
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    /** The same, of a writer that is on the link already. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriteBehindAReadThatWasToldLeavesTheLink(boolean canBreak) throws Exception {
        openWithOutputOnTheLink(canBreak);
        kill(pair.client());
        assertTold(Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1))), KILLED);
        assertWriteIsTold(pair.client(), "Broken pipe");
    }

    /** The same, of a writer whose program has been told by a selector alone. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriteBehindAFailureThatAPollerHasShownLeavesTheLink(boolean canBreak) throws Exception {
        openWithOutputOnTheLink(canBreak);
        kill(pair.client());
        assertThat(pair.client().readiness().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ))
                .isEqualTo(SelectionKey.OP_READ);
        assertWriteIsTold(pair.client(), KILLED);
        assertWriteIsTold(pair.client(), "Broken pipe");
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    /** A look at bytes that are ready moves no direction. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterStaysOnTheLinkWhenAPollerHasShownBytes(boolean canBreak) throws Exception {
        openWithOutputOnTheLink(canBreak);
        Lab.channel(pair.server()).write(ByteBuffer.allocate(1));
        pair.server().outgoing().gave(1);
        FaultLab.soon(() -> assertThat(pair.client().incoming().available()).isEqualTo(1));
        assertThat(pair.client().readiness().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ))
                .isEqualTo(SelectionKey.OP_READ);
        assertThat(pair.client().hasFailed()).isFalse();
        Streams.send(waits, pair.client(), 1000, 2);
        assertThat(pair.client().outgoing().link()).isNotNull();
        Streams.receive(waits, pair.server(), 1000, 2);
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(1);
    }

    /** TCP tells a reader of no failure behind the peer's end, read or not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailureThatIsKeptBehindThePeersEndIsTheWriters(boolean isEndRead) throws Exception {
        openUnused(false);
        endTheServersOutput();
        if (isEndRead) {
            assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1)))
                    .isEqualTo(-1);
        }
        failTheClientsOwnSend();
        assertToldBehindTheEnd();
    }

    /** The connection has failed before Accel sends anything, so nothing is sent. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailureThatIsThereIsLeftToTheKernel(boolean hasEnded) throws Exception {
        openUnused(false);
        if (hasEnded) {
            endTheServersOutput();
        }
        kill(pair.client());
        assertThatThrownBy(() -> pair.client().loss().send(ByteBuffer.allocate(1)))
                .isInstanceOf(IOException.class)
                .hasMessage("the TCP connection has failed");
        if (hasEnded) {
            assertToldBehindTheEnd();
        } else {
            assertTold(Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1))), KILLED);
            assertWriteIsTold(pair.client(), "Broken pipe");
        }
    }

    private void endTheServersOutput() throws IOException {
        pair.server().shutdownOutput();
        FaultLab.soon(() -> assertThat(pair.client().anchor().hasEnded()).isTrue());
    }

    private void assertToldBehindTheEnd() throws IOException {
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
        assertWriteIsTold(pair.client(), KILLED);
        assertWriteIsTold(pair.client(), "Broken pipe");
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    /** Nobody has been told by an operation, but a selector may have shown it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriteBehindAFailureThatNobodyWasToldOfComesToNoLink(boolean canBreak) throws Exception {
        openUnused(canBreak);
        kill(pair.client());
        assertWriteIsTold(pair.client(), KILLED);
        assertWriteIsTold(pair.client(), "Broken pipe");
    }

    /** The link comes after the failure: a search for it may be under way. */
    @Test
    void aWriteComesToNoLinkThatIsThereAfterTheFailureWasTold() throws Exception {
        openLab(false, Map.of("ring.size", "16KiB", "handover.after", "1000000/1GiB"));
        lab.lab.anchors =
                channel -> new StarvedAnchor(new ChannelAnchor(channel), asked -> false); // which keep the link
        pair = new Lab.Pair(lab.lab.client(), lab.lab.accept());
        kill(pair.client());
        assertTold(Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1))), KILLED);
        StreamSearches.get().request(pair.client());
        FaultLab.soon(() -> assertThat(pair.client().attached()).isNotNull());
        assertWriteIsTold(pair.client(), "Broken pipe");
    }

    /** The kernel tells a writer, whose next write finds a link. */
    @Test
    void aWriteBehindAWriteThatWasToldComesToNoLink() throws Exception {
        openLab(false, Map.of("ring.size", "16KiB", "handover.after", "1000000/1GiB"));
        lab.lab.anchors =
                channel -> new StarvedAnchor(new ChannelAnchor(channel), asked -> false); // which keep the link
        pair = new Lab.Pair(lab.lab.client(), lab.lab.accept());
        kill(pair.client());
        assertWriteIsTold(pair.client(), KILLED);
        StreamSearches.get().request(pair.client());
        FaultLab.soon(() -> assertThat(pair.client().attached()).isNotNull());
        assertWriteIsTold(pair.client(), "Broken pipe");
    }

    /** Bytes that the silent peer of a link that can break may have sent are missing, so there is no end in order. */
    @Test
    void bytesThatMayBeMissingAreNoEnd() throws Exception {
        open(true, false);
        pair.client().loss().mayLackBytes();
        Lab.channel(pair.server()).shutdownOutput();
        pair.client().attached().broken().giveUp();
        pair.client().attached().broken().abandon();
        assertTold(Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(1))), RESET);
    }

    /** The record by which the peer would go on stands behind bytes that it sent over the broken link, and that never come. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRecordBehindMissingBytesIsNobodys(boolean isReaderThere) throws Exception {
        open(true);
        LinkStream link = pair.client().attached();
        Background<Integer> early = isReaderThere ? reading(pair.client()) : null;
        pair.server().attached().link().breakNow();
        FaultLab.soon(() -> assertThat(pair.client().anchor().available()).isPositive());
        link.broken().giveUp(); // as the watch does that has just found the failure
        link.link().breakNow();
        kill(pair.server());
        assertTold(
                isReaderThere
                        ? early
                        : Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(100))),
                RESET);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerThatClosesIsNoFailure(boolean canBreak) throws Exception {
        open(canBreak);
        LinkStream link = pair.client().attached();
        Streams.send(waits, pair.server(), 300, 9);
        Lab.close(pair.server());
        Lab.channel(pair.client()).shutdownOutput(); // over in both directions
        Streams.receive(waits, pair.client(), 300, 9);
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(link.broken().hearAbandoned()).isFalse();
    }
}
