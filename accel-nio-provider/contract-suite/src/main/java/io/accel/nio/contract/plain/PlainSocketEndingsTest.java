// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.KernelConnections;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * java.net.Socket: what each end is told, in which words, when either end has ended a connection. Each test takes connections
 * where either end, both or none has written before: a direction may take another path before its first byte than behind it.
 */
@Tag("plain")
@Tag("racing")
class PlainSocketEndingsTest extends PlainSocketSupport {
    /** Fewer bytes than any path has room for. */
    private static final int MANY = 10_000;

    private static final int MEGABYTES = 3_000_000;
    /** Longer than any wait. */
    private static final int TIMEOUT_MILLIS = 60_000;

    /** Whether the end that a test looks at, or its peer, has written before. */
    private enum Written {
        NEITHER,
        HERE,
        PEER,
        BOTH;

        boolean here() {
            return this == HERE || this == BOTH;
        }

        boolean peer() {
            return this == PEER || this == BOTH;
        }
    }

    /** The state of a connection before a test, and the end that the test looks at. */
    private record Before(Written written, boolean isClient) {}

    /** A connection, and the streams of the end that a test looks at: an end that has shut down a half gives no new stream for it. */
    private record Ends(Socket here, InputStream in, OutputStream out, Socket peer) {}

    static Stream<Before> connections() {
        return Stream.of(Written.values())
                .flatMap(written -> Stream.of(new Before(written, true), new Before(written, false)));
    }

    private Ends ends(Before before) throws IOException {
        Sockets pair = sockets();
        Socket here = before.isClient() ? pair.client() : pair.server();
        Socket peer = before.isClient() ? pair.server() : pair.client();
        here.setTcpNoDelay(true);
        peer.setTcpNoDelay(true); // else the last bytes may still be with the writer's kernel, and be lost with a reset
        for (int i = 0; i < 8; i++) {
            if (before.written().here()) {
                write(here, "question");
                assertThat(read(peer, 8)).isEqualTo("question");
            }
            if (before.written().peer()) {
                write(peer, "answer");
                assertThat(read(here, 6)).isEqualTo("answer");
            }
        }
        return new Ends(here, here.getInputStream(), here.getOutputStream(), peer);
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    // ---- what each operation says

    private static void assertSays(ThrowingCallable operation, String message) {
        assertThatThrownBy(operation).isExactlyInstanceOf(SocketException.class).hasMessage(message);
    }

    private static void assertReset(Ends ends) {
        assertSays(() -> ends.in().read(), "Connection reset");
        assertSays(() -> ends.in().read(new byte[9], 3, 5), "Connection reset");
    }

    private static void assertEnd(Ends ends) throws IOException {
        assertThat(ends.in().read()).isEqualTo(-1);
        assertThat(ends.in().read(new byte[9], 3, 5)).isEqualTo(-1);
    }

    private static void assertBrokenPipe(Ends ends) {
        assertSays(() -> ends.out().write(1), "Broken pipe");
    }

    /** A socket that is closed, but still has its streams. */
    private static void assertClosed(Ends ends) throws IOException {
        assertThat(ends.here().isClosed()).isTrue();
        assertSays(() -> ends.out().write(1), "Socket closed");
        assertSays(() -> ends.in().available(), "Socket closed");
        ends.out().write(new byte[0]);
        assertThat(ends.in().read(new byte[0])).isZero();
    }

    /**
     * The exception with which a write fails sooner or later: writes before the answer to the first are accepted, but not as many
     * as a buffer holds.
     */
    private static void assertFailsInTheEnd(OutputStream out, String message) {
        AtomicInteger accepted = new AtomicInteger();
        AtomicReference<IOException> failure = new AtomicReference<>();
        eventually().until(() -> {
            try {
                out.write(1);
                accepted.incrementAndGet();
            } catch (IOException e) {
                failure.set(e);
            }
            return failure.get() != null;
        });
        assertThat(failure.get())
                .as("after %s bytes", accepted)
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage(message);
        assertThat(accepted.get()).isLessThan(MANY);
    }

    /** Waits until a reset has come, so that nothing more is accepted. Over a network it may still be on its way. */
    private static void assertNextWriteFails(Ends ends) throws IOException {
        if (Path.current().isKernels()) {
            eventually().until(() -> !KernelConnections.lists(ends.here()));
        }
        if (Path.current() == Path.RDMA) {
            assertFailsInTheEnd(ends.out(), "Broken pipe");
        }
        assertBrokenPipe(ends);
    }

    /**
     * Waits until so many of the peer's bytes have come. Bytes that another processor of the kernel has still to hand over are
     * lost with a reset.
     */
    private static void awaitFromKernel(Ends ends, int bytes) {
        if (Path.current().isKernels()) {
            eventually().until(() -> ends.in().available() == bytes);
        }
    }

    // ---- the peer resets

    @ParameterizedTest
    @MethodSource("connections")
    void aResetThatAReadMeets(Before before) throws IOException {
        Ends ends = ends(before);
        reset(ends.peer());
        for (int i = 0; i < 3; i++) {
            assertReset(ends);
            assertBrokenPipe(ends);
            assertThat(ends.in().available()).isZero();
            ends.out().write(new byte[0]);
            assertThat(ends.in().read(new byte[0])).isZero();
        }
        assertThat(ends.here().isClosed()).isFalse();
        assertThat(ends.here().isConnected()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aResetThatAReadWithATimeoutMeets(Before before) throws IOException {
        Ends ends = ends(before);
        ends.here().setSoTimeout(TIMEOUT_MILLIS);
        reset(ends.peer());
        assertReset(ends);
        assertBrokenPipe(ends);
        assertReset(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aResetThatAReadThatWaitsMeets(Before before) throws Exception {
        for (int timeout : new int[] {0, TIMEOUT_MILLIS}) {
            Ends ends = ends(before);
            ends.here().setSoTimeout(timeout);
            Task<Integer> reading = start(() -> ends.in().read()).awaitInside("read");
            reset(ends.peer());
            assertThat(reading.failure())
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
            assertReset(ends);
            assertBrokenPipe(ends);
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aResetThatAWriteMeets(Before before) throws IOException {
        Ends ends = ends(before);
        reset(ends.peer());
        assertFailsInTheEnd(ends.out(), "Connection reset by peer");
        for (int i = 0; i < 3; i++) {
            assertBrokenPipe(ends);
            assertEnd(ends);
            assertThat(ends.in().available()).isZero();
        }
        assertThat(ends.here().isClosed()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aResetThatAWriteThatWaitsMeets(Before before) throws Exception {
        Ends ends = ends(before);
        Task<Void> writing = waitingWriter(() -> ends.out().write(new byte[1 << 16]));
        reset(ends.peer());
        assertThat(writing.failure()).isExactlyInstanceOf(SocketException.class).hasMessage("Connection reset by peer");
        assertBrokenPipe(ends);
        assertEnd(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aResetBehindUnreadBytes(Before before) throws IOException {
        Ends ends = ends(before);
        ends.peer().getOutputStream().write(new byte[] {1, 2});
        awaitFromKernel(ends, 2);
        reset(ends.peer());
        assertThat(ends.in().read()).isEqualTo(1);
        assertThat(ends.in().read()).isEqualTo(2);
        assertReset(ends);
        assertBrokenPipe(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aResetBehindUnreadBytesThatAWriteMeets(Before before) throws IOException {
        Ends ends = ends(before);
        ends.peer().getOutputStream().write(new byte[] {1, 2});
        awaitFromKernel(ends, 2);
        reset(ends.peer());
        assertFailsInTheEnd(ends.out(), "Connection reset by peer");
        assertThat(ends.in().available()).isEqualTo(2);
        assertThat(ends.in().read()).isEqualTo(1);
        assertThat(ends.in().read()).isEqualTo(2);
        assertEnd(ends);
        assertBrokenPipe(ends);
    }

    /** The end came first: it is reported, and no unread byte is lost. */
    @ParameterizedTest
    @MethodSource("connections")
    void aResetBehindTheEnd(Before before) throws IOException {
        Ends ends = ends(before);
        write(ends.peer(), "farewell");
        awaitFromKernel(ends, 8);
        ends.peer().shutdownOutput();
        reset(ends.peer());
        assertThat(read(ends.here(), 8)).isEqualTo("farewell");
        assertEnd(ends);
        assertNextWriteFails(ends);
        assertEnd(ends);
    }

    /** The kernel reports the reset to the caller that asks first, even to a write that can only fail. */
    @ParameterizedTest
    @MethodSource("connections")
    void aResetThatAWriteToAShutOutputMeets(Before before) throws IOException {
        Ends ends = ends(before);
        ends.here().shutdownOutput();
        assertBrokenPipe(ends);
        reset(ends.peer());
        AtomicReference<String> said = new AtomicReference<>("Broken pipe");
        eventually().until(() -> {
            assertThatThrownBy(() -> ends.out().write(1))
                    .isExactlyInstanceOf(SocketException.class)
                    .satisfies(e -> said.set(e.getMessage()));
            return !said.get().equals("Broken pipe");
        });
        assertThat(said.get()).isEqualTo("Connection reset by peer");
        assertBrokenPipe(ends);
        assertEnd(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void whoHasMetAResetCanShutDownAndClose(Before before) throws IOException {
        Ends ends = ends(before);
        reset(ends.peer());
        assertReset(ends);
        ends.here().shutdownOutput();
        assertBrokenPipe(ends);
        ends.here().shutdownInput();
        assertReset(ends);
        assertThat(ends.in().available()).isZero();
        ends.here().close();
        assertClosed(ends);
        assertSays(() -> ends.in().read(), "Socket closed");
    }

    // ---- the peer ends in order

    @ParameterizedTest
    @MethodSource("connections")
    void theFirstWriteAfterThePeersCloseIsAccepted(Before before) throws IOException {
        Ends ends = ends(before);
        ends.peer().close();
        assertEnd(ends);
        ends.out().write(1);
        assertFailsInTheEnd(ends.out(), "Broken pipe");
        assertEnd(ends);
        assertBrokenPipe(ends);
        assertThat(ends.in().available()).isZero();
        ends.here().shutdownOutput();
        assertThat(ends.here().isClosed()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("connections")
    void thePeersFarewellIsReadBehindWrites(Before before) throws IOException {
        Ends ends = ends(before);
        write(ends.peer(), "farewell");
        awaitFromKernel(ends, 8);
        ends.peer().close();
        ends.out().write(1);
        assertFailsInTheEnd(ends.out(), "Broken pipe");
        assertThat(ends.in().available()).isEqualTo(8);
        assertThat(read(ends.here(), 8)).isEqualTo("farewell");
        assertEnd(ends);
        assertBrokenPipe(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aCloseWithBytesUnreadRefusesTheNextWrite(Before before) throws IOException {
        Ends ends = ends(before);
        write(ends.here(), "unread");
        eventually().until(() -> ends.peer().getInputStream().available() == 6);
        ends.peer().close();
        assertEnd(ends);
        assertNextWriteFails(ends);
        assertEnd(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void thePeersFarewellIsReadBehindAWriteThatItsCloseWithBytesUnreadRefuses(Before before) throws IOException {
        Ends ends = ends(before);
        write(ends.here(), "unread");
        eventually().until(() -> ends.peer().getInputStream().available() == 6);
        write(ends.peer(), "farewell");
        awaitFromKernel(ends, 8);
        ends.peer().close();
        assertNextWriteFails(ends);
        assertThat(read(ends.here(), 8)).isEqualTo("farewell");
        assertEnd(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aWriteThatWaitsMeetsTheCloseOfAPeerThatHasNotRead(Before before) throws Exception {
        Ends ends = ends(before);
        Task<Void> writing = waitingWriter(() -> ends.out().write(new byte[1 << 16]));
        ends.peer().close();
        assertThat(writing.failure()).isExactlyInstanceOf(SocketException.class).hasMessage("Broken pipe");
        assertBrokenPipe(ends);
        assertEnd(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aReadThatWaitsMeetsTheEnd(Before before) throws Exception {
        for (int timeout : new int[] {0, TIMEOUT_MILLIS}) {
            for (boolean closes : new boolean[] {false, true}) {
                Ends ends = ends(before);
                ends.here().setSoTimeout(timeout);
                Task<Integer> reading = start(() -> ends.in().read()).awaitInside("read");
                if (closes) {
                    ends.peer().close();
                } else {
                    ends.peer().shutdownOutput();
                }
                assertThat(reading.result()).isEqualTo(-1);
                assertEnd(ends);
                assertThat(ends.in().available()).isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void allThatWasWrittenBeforeACloseIsRead(Before before) throws Exception {
        Ends ends = ends(before);
        byte[] bytes = Bytes.random(1, MEGABYTES);
        Task<Void> writing = run(() -> {
            ends.peer().getOutputStream().write(bytes);
            ends.peer().close();
        });
        Bytes.assertSame(ends.in().readAllBytes(), bytes);
        assertEnd(ends);
        writing.result();
    }

    /** Such a close may wait until the peer has taken the bytes that were written. */
    @ParameterizedTest
    @MethodSource("connections")
    void allThatWasWrittenBeforeACloseThatLingersIsRead(Before before) throws Exception {
        Ends ends = ends(before);
        byte[] bytes = Bytes.random(2, MEGABYTES);
        ends.peer().setSoLinger(true, TIMEOUT_MILLIS / 1_000);
        Task<Void> writing = run(() -> {
            ends.peer().getOutputStream().write(bytes);
            ends.peer().close();
        });
        Bytes.assertSame(ends.in().readAllBytes(), bytes);
        writing.result();
    }

    @ParameterizedTest
    @MethodSource("connections")
    void allThatWasWrittenBeforeACloseIsReadLongAfterIt(Before before) throws IOException {
        Ends ends = ends(before);
        byte[] bytes = Bytes.random(3, MANY);
        ends.peer().getOutputStream().write(bytes);
        ends.peer().close();
        assertThat(ends.peer().isClosed()).isTrue();
        assertThat(ends.in().readNBytes(MANY)).isEqualTo(bytes);
        assertEnd(ends);
    }

    /** One write is accepted, and the answer to it shows the close. */
    @ParameterizedTest
    @MethodSource("connections")
    void aPeerThatHasShutDownBothDirectionsRefusesWhatComes(Before before) throws IOException {
        for (boolean inputFirst : new boolean[] {false, true}) {
            Ends ends = ends(before);
            write(ends.peer(), "farewell");
            awaitFromKernel(ends, 8);
            if (inputFirst) {
                ends.peer().shutdownInput();
            }
            ends.peer().shutdownOutput();
            if (!inputFirst) {
                ends.peer().shutdownInput();
            }
            ends.out().write(1);
            if (refuses(before)) {
                assertFailsInTheEnd(ends.out(), "Broken pipe");
            }
            assertThat(read(ends.here(), 8)).isEqualTo("farewell");
            assertEnd(ends);
            assertThat(ends.peer().isClosed()).isFalse();
        }
    }

    /**
     * Over RDMA the peer, which has sent over it, may need the kernel's connection for bytes that come through the kernel, as in
     * EndingsTest.
     */
    private static boolean refuses(Before before) {
        return Path.current() != Path.RDMA
                || (before.written().here() && "connect".equals(System.getProperty("accel.handover.after")));
    }

    // ---- this end ends its input

    @ParameterizedTest
    @MethodSource("connections")
    void nothingIsReadAfterShutdownInput(Before before) throws IOException {
        Ends ends = ends(before);
        write(ends.peer(), "too late");
        eventually().until(() -> ends.in().available() == 8);
        ends.here().shutdownInput();
        assertThat(ends.in().available()).isZero();
        assertEnd(ends);
        write(ends.peer(), "unheard");
        assertEnd(ends);
        assertThat(ends.in().available()).isZero();
        write(ends.here(), "outward");
        assertThat(read(ends.peer(), 7)).isEqualTo("outward");
        assertSays(() -> ends.here().shutdownInput(), "Socket input is already shutdown");
    }

    @ParameterizedTest
    @MethodSource("connections")
    void shutdownInputEndsAReadThatWaits(Before before) throws Exception {
        for (int timeout : new int[] {0, TIMEOUT_MILLIS}) {
            Ends ends = ends(before);
            ends.here().setSoTimeout(timeout);
            Task<Integer> reading = start(() -> ends.in().read()).awaitInside("read");
            ends.here().shutdownInput();
            assertThat(reading.result()).isEqualTo(-1);
            assertEnd(ends);
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aCloseWithBytesUnreadBehindShutdownInputRefusesTheNextWrite(Before before) throws IOException {
        for (boolean readsEnd : new boolean[] {false, true}) {
            Ends ends = ends(before);
            write(ends.here(), "unread");
            InputStream in = ends.peer().getInputStream();
            eventually().until(() -> in.available() == 6);
            ends.peer().shutdownInput();
            if (readsEnd) {
                assertThat(in.read()).isEqualTo(-1);
            }
            ends.peer().close();
            assertEnd(ends);
            assertNextWriteFails(ends);
        }
    }

    // ---- this end ends its output

    @ParameterizedTest
    @MethodSource("connections")
    void writesAfterShutdownOutputFail(Before before) throws IOException {
        Ends ends = ends(before);
        ends.here().shutdownOutput();
        for (int i = 0; i < 3; i++) {
            assertBrokenPipe(ends);
            ends.out().write(new byte[0]);
        }
        assertThat(ends.peer().getInputStream().read()).isEqualTo(-1);
        write(ends.peer(), "answer");
        assertThat(read(ends.here(), 6)).isEqualTo("answer");
        assertSays(() -> ends.here().shutdownOutput(), "Socket output is already shutdown");
        ends.peer().close();
        assertEnd(ends);
        assertBrokenPipe(ends);
        assertThat(ends.here().isClosed()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("connections")
    void urgentDataAfterShutdownOutputFails(Before before) throws IOException {
        Ends ends = ends(before);
        ends.here().shutdownOutput();
        assertThatThrownBy(() -> ends.here().sendUrgentData(1))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Broken pipe");
        assertThat(ends.peer().getInputStream().read()).isEqualTo(-1);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void urgentDataIsTheFirstToMeetAReset(Before before) throws IOException {
        Ends ends = ends(before);
        reset(ends.peer());
        assertUrgentDataFailsInTheEnd(ends.here(), "Connection reset by peer");
        assertUrgentDataFailsInTheEnd(ends.here(), "Broken pipe");
        assertBrokenPipe(ends);
        assertEnd(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void theFirstUrgentDataAfterThePeersCloseIsAccepted(Before before) throws IOException {
        Ends ends = ends(before);
        ends.peer().close();
        assertEnd(ends);
        ends.here().sendUrgentData(1);
        assertUrgentDataFailsInTheEnd(ends.here(), "Broken pipe");
        assertBrokenPipe(ends);
        assertEnd(ends);
    }

    private static void assertUrgentDataFailsInTheEnd(Socket socket, String message) {
        AtomicReference<IOException> failure = new AtomicReference<>();
        eventually().until(() -> {
            try {
                socket.sendUrgentData(1);
            } catch (IOException e) {
                failure.set(e);
            }
            return failure.get() != null;
        });
        assertThat(failure.get()).isExactlyInstanceOf(IOException.class).hasMessage(message);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void shutdownOutputEndsAWriteThatWaits(Before before) throws Exception {
        Ends ends = ends(before);
        byte[] chunk = Bytes.random(4, 1 << 16);
        Task<Void> writing = waitingWriter(() -> ends.out().write(chunk));
        ends.here().shutdownOutput();
        assertThat(writing.failure()).isExactlyInstanceOf(SocketException.class).hasMessage("Broken pipe");
        assertReadsChunksToTheEnd(ends.peer(), chunk);
        write(ends.peer(), "answer");
        assertThat(read(ends.here(), 6)).isEqualTo("answer");
        assertThat(ends.here().isClosed()).isFalse();
    }

    /** The same bytes again and again; the last round may have come in part. */
    private static void assertReadsChunksToTheEnd(Socket socket, byte[] chunk) throws IOException {
        byte[] got = socket.getInputStream().readAllBytes();
        byte[] expected = new byte[got.length];
        for (int at = 0; at < got.length; at += chunk.length) {
            System.arraycopy(chunk, 0, expected, at, Math.min(chunk.length, got.length - at));
        }
        assertThat(got).isNotEmpty();
        Bytes.assertSame(got, expected);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void megabytesGoBackAfterTheEndOfMegabytes(Before before) throws Exception {
        Ends ends = ends(before);
        byte[] request = Bytes.random(5, MEGABYTES);
        byte[] answer = Bytes.random(6, MEGABYTES);
        Task<Void> peer = run(() -> {
            Bytes.assertSame(ends.peer().getInputStream().readAllBytes(), request);
            ends.peer().getOutputStream().write(answer);
            ends.peer().shutdownOutput();
        });
        ends.out().write(request);
        ends.here().shutdownOutput();
        Bytes.assertSame(ends.in().readAllBytes(), answer);
        peer.result();
        assertEnd(ends);
        assertBrokenPipe(ends);
        assertThat(ends.here().isClosed()).isFalse();
        assertThat(ends.peer().isClosed()).isFalse();
    }

    // ---- this end closes

    @ParameterizedTest
    @MethodSource("connections")
    void aCloseEndsAReadThatWaits(Before before) throws Exception {
        for (int timeout : new int[] {0, TIMEOUT_MILLIS}) {
            Ends ends = ends(before);
            ends.here().setSoTimeout(timeout);
            Task<Integer> reading = start(() -> ends.in().read()).awaitInside("read");
            ends.here().close();
            assertThat(reading.failure())
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Socket closed");
            assertClosed(ends);
            assertSays(() -> ends.in().read(), "Socket closed");
            assertThat(ends.peer().getInputStream().read()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aCloseEndsAWriteThatWaits(Before before) throws Exception {
        Ends ends = ends(before);
        byte[] chunk = Bytes.random(7, 1 << 16);
        Task<Void> writing = waitingWriter(() -> ends.out().write(chunk));
        ends.here().close();
        assertThat(writing.failure()).isExactlyInstanceOf(SocketException.class).hasMessage("Socket closed");
        assertClosed(ends);
        assertReadsChunksToTheEnd(ends.peer(), chunk);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aCloseKeepsTheEndThatWasRead(Before before) throws IOException {
        Ends ends = ends(before);
        ends.peer().shutdownOutput();
        assertEnd(ends);
        ends.here().close();
        assertEnd(ends);
        assertClosed(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aCloseKeepsTheEndThatFollowedAWritesReset(Before before) throws IOException {
        Ends ends = ends(before);
        reset(ends.peer());
        assertFailsInTheEnd(ends.out(), "Connection reset by peer");
        assertEnd(ends);
        ends.here().close();
        assertEnd(ends);
        assertClosed(ends);
    }

    @ParameterizedTest
    @MethodSource("connections")
    void aCloseKeepsTheEndOfAnInputThatWasShutDown(Before before) throws IOException {
        Ends ends = ends(before);
        ends.here().shutdownInput();
        assertEnd(ends);
        ends.here().close();
        assertEnd(ends);
        assertClosed(ends);
    }

    /** It was not read, so it is not known. */
    @ParameterizedTest
    @MethodSource("connections")
    void aCloseBeforeTheEndWasRead(Before before) throws IOException {
        Ends ends = ends(before);
        write(ends.peer(), "unread");
        eventually().until(() -> ends.in().available() == 6);
        ends.peer().close();
        ends.here().close();
        assertClosed(ends);
        assertSays(() -> ends.in().read(), "Socket closed");
    }
}
