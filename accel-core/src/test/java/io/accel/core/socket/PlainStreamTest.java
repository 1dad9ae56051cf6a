// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.daemon.DeferredStart;
import io.accel.core.observe.Connections;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.observe.Unlisted;
import io.accel.profile.Profile;
import io.accel.profile.Role;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlainStreamTest {
    /** What {@code handover.after=auto} asks for at least. */
    private static final int LEAST_OPERATIONS = 8;

    private final Accelerator accelerator = accelerator("auto");
    private ServerSocketChannel listener;
    private SocketChannel kernel;
    private SocketChannel accepted;
    private PlainStream stream;

    /** As in a process that is not young any more, and in which nobody looks, whatever other tests have done in it. */
    @BeforeEach
    void connect() throws Exception {
        DeferredStart.want();
        await().until(() -> !DeferredStart.isYoung());
        MethodHandles.privateLookupIn(Unlisted.class, MethodHandles.lookup())
                .findStaticVarHandle(Unlisted.class, "observed", boolean.class)
                .setVolatile(false);
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        kernel = SocketChannel.open();
        stream = new PlainStream(accelerator, new ChannelAnchor(kernel));
        kernel.connect(listener.getLocalAddress());
        accepted = listener.accept();
        stream.connected();
    }

    @AfterEach
    void close() throws IOException {
        StreamSocket socket = stream.close(false, false);
        if (socket != null) {
            socket.close(false, false);
        }
        kernel.close();
        accepted.close();
        listener.close();
    }

    private static Accelerator accelerator(String after) {
        return new Accelerator(
                Profile.load("balanced", after.equals("auto") ? Map.of() : Map.of("handover.after", after)));
    }

    private void read(int bytes) {
        assertThat(stream.beginRead()).isTrue();
        assertThat(stream.endRead(bytes)).isTrue();
    }

    private void write(int bytes) {
        assertThat(stream.beginWrite()).isTrue();
        assertThat(stream.endWrite(bytes)).isTrue();
    }

    @Test
    void itsCountsAreThoseOfItsSocket() {
        read(5);
        read(7);
        write(11);
        read(0); // which is no read that brought bytes
        assertThat(stream.socketOrNull()).isNull();
        StreamSocket socket = stream.socket();
        assertThat(socket.incoming().taken()).isEqualTo(12);
        assertThat(socket.incoming().reads()).isEqualTo(2);
        assertThat(socket.outgoing().given()).isEqualTo(11);
        assertThat(socket.outgoing().writes()).isEqualTo(1);
        assertThat(socket.path().reason()).isEqualTo(FallbackReason.TOO_LITTLE);
        assertThat(stream.socket()).isSameAs(socket);
        assertThat(stream.beginRead()).isFalse();
        assertThat(stream.beginWrite()).isFalse();
    }

    @Test
    void anOperationThatIsUnderWayKeepsOthersOutOfItsHalf() throws Exception {
        assertThat(stream.beginRead()).isTrue();
        assertThat(stream.beginWrite()).isTrue();
        StreamSocket socket = stream.socket();
        assertThatThrownBy(() -> socket.incoming().enter(1_000_000)).isInstanceOf(SocketTimeoutException.class);
        assertThat(socket.outgoing().tryEnter(1_000_000)).isFalse();
        FutureTask<LinkStream> other = Streams.start(() -> socket.incoming().enter());
        assertThat(stream.endRead(3)).isFalse();
        socket.incoming().adopt();
        assertThat(other.isDone()).isFalse();
        socket.incoming().leave();
        other.get(10, TimeUnit.SECONDS);
        stream.leaveWrite(); // as after an error
        assertThat(socket.outgoing().tryEnter(1_000_000)).isTrue();
        socket.outgoing().leave();
    }

    @Test
    void aSecondOperationOfTheSameDirectionMakesTheSocket() {
        assertThat(stream.beginRead()).isTrue();
        assertThat(stream.beginRead()).isFalse(); // its caller asks for the socket
        assertThat(stream.beginWrite()).isTrue();
        assertThat(stream.endWrite(1)).isTrue();
        assertThat(stream.endRead(1)).isTrue();
    }

    @Test
    void itGetsItsSocketWhenItMayBeWorthALink() {
        for (int i = 1; i < LEAST_OPERATIONS; i++) {
            write(1);
        }
        assertThat(stream.socketOrNull()).isNull();
        write(1);
        assertThat(stream.socketOrNull()).isNotNull();
    }

    @Test
    void manyBytesCountAsWell() {
        write(64 << 10);
        assertThat(stream.socketOrNull()).isNotNull();
    }

    /** From then on all are listed that are used. */
    @Test
    void somebodyWhoLooksMakesTheSocket() {
        write(1);
        assertThat(Connections.observe()).isNotNull();
        assertThat(stream.beginWrite()).isFalse();
        assertThat(stream.socket().outgoing().given()).isEqualTo(1);
        assertThat(Connections.observe().stream()
                        .filter(each -> each instanceof ConnectionRecord)
                        .anyMatch(each -> ((ConnectionRecord) each).handover()
                                == stream.socket().handover()))
                .isTrue();
    }

    @Test
    void aConnectionThatNeverNeedsASocketIsCounted() throws IOException {
        long before = ProcessCounters.connections(Role.CLIENT, PathName.KERNEL);
        long reasons = ProcessCounters.fallbacks(Role.CLIENT, FallbackReason.TOO_LITTLE);
        long unlisted = Unlisted.open();
        assertThat(unlisted).isPositive();
        assertThat(stream.close(false, false)).isNull();
        assertThat(stream.close(false, false)).isNull();
        assertThat(ProcessCounters.connections(Role.CLIENT, PathName.KERNEL)).isEqualTo(before + 1);
        assertThat(ProcessCounters.fallbacks(Role.CLIENT, FallbackReason.TOO_LITTLE))
                .isEqualTo(reasons + 1);
        assertThat(Unlisted.open()).isEqualTo(unlisted - 1);
    }

    /** A thread that meets the close in an operation asks the socket what to throw. */
    @Test
    void theSocketOfAClosedStreamIsClosed() {
        long before = ProcessCounters.connections(Role.CLIENT, PathName.KERNEL);
        assertThat(stream.close(false, false)).isNull();
        assertThat(stream.socket().isClosed()).isTrue();
        assertThat(ProcessCounters.connections(Role.CLIENT, PathName.KERNEL)).isEqualTo(before + 1);
    }

    @Test
    void whereMoreIsWantedTheSocketIsThereFromTheBeginning() {
        for (String after : new String[] {"connect", "0", "random"}) {
            assertThat(new PlainStream(accelerator(after), new ChannelAnchor(kernel)).socketOrNull())
                    .as(after)
                    .isNotNull();
        }
    }

    @Test
    void aNumberOfOperationsIsCountedWithoutASocket() {
        PlainStream counted = new PlainStream(accelerator("3/1MiB"), new ChannelAnchor(kernel));
        for (int i = 0; i < 2; i++) {
            assertThat(counted.beginWrite()).isTrue();
            assertThat(counted.endWrite(1)).isTrue();
        }
        assertThat(counted.socketOrNull()).isNull();
        assertThat(counted.beginWrite()).isTrue();
        assertThat(counted.endWrite(1)).isTrue();
        assertThat(counted.socketOrNull()).isNotNull();
    }

    /** The bytes of the operation have moved, so it must not fail; the next one meets the error before it moves any. */
    @Test
    void anErrorOnTheWayToTheSocketIsTheNextOperations() throws Exception {
        AtomicBoolean failing = new AtomicBoolean();
        ChannelAnchor anchor = new ChannelAnchor(kernel);
        Anchor guised = (Anchor) Proxy.newProxyInstance(
                Anchor.class.getClassLoader(), new Class<?>[] {Anchor.class}, (proxy, method, arguments) -> {
                    if (failing.get()) {
                        throw new OutOfMemoryError("of the test");
                    }
                    return method.invoke(anchor, arguments);
                });
        PlainStream counted = new PlainStream(accelerator("2/1MiB"), guised);
        counted.connected();
        assertThat(counted.beginWrite()).isTrue();
        assertThat(counted.endWrite(1)).isTrue();
        assertThat(counted.beginWrite()).isTrue();
        failing.set(true);
        assertThat(counted.endWrite(1)).isTrue();
        assertThat(counted.socketOrNull()).isNull();
        assertThat(counted.beginWrite()).isFalse();
        assertThatThrownBy(counted::socket).hasMessage("of the test");
        assertThat(counted.beginRead()).isFalse();
        failing.set(false);
        assertThat(counted.socket().isClosed()).isFalse();
        counted.socket().close(false, false);
    }
}
