// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import io.accel.testing.Background;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client's Unix-domain connection is found only where no other can be meant. */
@Timeout(60)
class UnixStreamsTest {
    private final UnixStreams all = new UnixStreams();
    private final Accelerator accelerator = new Accelerator(Profile.load("balanced", Map.of()));
    private final StreamListener listener = new StreamListener(accelerator);
    private final Deque<Closeable> open = new ArrayDeque<>();

    @TempDir
    private Path dir;

    private ServerSocketChannel kernel;

    /** One accepted connection. */
    private record One(StreamSocket socket, UnixAnchor anchor, SocketChannel channel) {
        void received(int bytes) throws IOException {
            assertThat(socket.incoming().enter()).isNull();
            try {
                assertThat(socket.incoming()
                                .took(bytes, ByteBuffer.allocate(bytes).position(bytes)))
                        .isEqualTo(bytes);
            } finally {
                socket.incoming().leave();
            }
        }

        void sent(int bytes) throws IOException {
            assertThat(socket.outgoing().enter(true)).isNull();
            try {
                socket.outgoing().gave(bytes);
            } finally {
                socket.outgoing().leave();
            }
        }

        void close() throws IOException {
            close(false);
        }

        void close(boolean aborted) throws IOException {
            socket.close(() -> aborted, false);
            channel.close();
            socket.anchorClosed(aborted);
        }
    }

    @BeforeEach
    void listen() throws IOException {
        kernel = closing(JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX));
        kernel.bind(UnixDomainSocketAddress.of(dir.resolve("s")));
    }

    @AfterEach
    void closeAll() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }

    private <C extends Closeable> C closing(C one) {
        open.push(one);
        return one;
    }

    private One accept() throws IOException {
        SocketChannel client = closing(JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX));
        client.connect(kernel.getLocalAddress());
        SocketChannel channel = closing(kernel.accept());
        UnixAnchor anchor = (UnixAnchor) UnixAnchor.accepted(channel, listener);
        StreamSocket socket = new StreamSocket(accelerator, anchor);
        anchor.addTo(all, socket);
        return new One(socket, anchor, channel);
    }

    /** A connection that has received and sent so many bytes. */
    private One accept(int received, int sent) throws IOException {
        One one = accept();
        one.received(received);
        one.sent(sent);
        return one;
    }

    private static void assertNotYet(ThrowingCallable find) {
        assertThatThrownBy(find).isInstanceOfSatisfying(FallbackException.class, e -> assertThat(e.reason())
                .isEqualTo(FallbackReason.NOT_YET));
    }

    @Test
    void theOnlyOneIsFound() throws IOException {
        One one = accept(10, 20);
        assertThat(all.lineup().find(20, 10)).isSameAs(one.socket);
    }

    /** Bytes may be on the way in either direction, and others may have followed since the numbers were taken. */
    @Test
    void whatOneHasSentTheOtherNeedNotHaveReceived() throws IOException {
        One one = accept(10, 20);
        assertThat(all.lineup().find(1, 1_000)).isSameAs(one.socket);
    }

    @Test
    void noneThatHasReceivedMoreThanTheClientHasSent() throws IOException {
        accept(11, 20);
        assertNotYet(() -> all.lineup().find(20, 10));
    }

    @Test
    void noneThatHasSentLessThanTheClientHasReceived() throws IOException {
        accept(10, 19);
        assertNotYet(() -> all.lineup().find(20, 10));
    }

    /** Its connection may not have been accepted, so perhaps no connection here is the client's. */
    @Test
    void noneForAClientThatHasReceivedNothing() throws IOException {
        accept(10, 20);
        assertNotYet(() -> all.lineup().find(0, 10));
    }

    @Test
    void noneOfSeveralThatAreAlikeUntilOneHasCarriedMore() throws IOException {
        One one = accept(10, 20);
        One other = accept(10, 20);
        assertNotYet(() -> all.lineup().find(20, 10));
        other.received(5);
        other.sent(5);
        assertThat(all.lineup().find(25, 15)).isSameAs(other.socket);
        assertThat(all.lineup().find(20, 10)).as("the other is found already").isSameAs(one.socket);
        assertNotYet(() -> all.lineup().find(20, 10));
    }

    /** Nobody knows how much it will have sent when it is done. */
    @Test
    void oneThatIsBeingWrittenToIsNotExcluded() throws Exception {
        One one = accept(10, 20);
        One other = accept();
        CountDownLatch isIn = new CountDownLatch(1);
        CountDownLatch isDone = new CountDownLatch(1);
        Background<Void> writer = Background.start(() -> {
            assertThat(other.socket.outgoing().enter(true)).isNull();
            isIn.countDown();
            try {
                isDone.await();
            } finally {
                other.socket.outgoing().leave();
            }
            return null;
        });
        try {
            isIn.await();
            assertNotYet(() -> all.lineup().find(20, 10));
        } finally {
            isDone.countDown();
            Void unused = writer.get(20, TimeUnit.SECONDS);
        }
        assertThat(all.lineup().find(20, 10)).isSameAs(one.socket);
    }

    /** Two clients look at the same time, and only one of them can be the connection's. */
    @Test
    void oneIsFoundOnce() throws IOException {
        One one = accept(10, 20);
        UnixStreams.Lineup first = all.lineup();
        UnixStreams.Lineup second = all.lineup();
        assertThat(first.find(20, 10)).isSameAs(one.socket);
        assertNotYet(() -> second.find(20, 10));
    }

    @Test
    void oneThatHasClosedIsInNobodysWay() throws IOException {
        One one = accept(10, 20);
        One other = accept(10, 20);
        other.close();
        assertThat(all.lineup().find(20, 10)).isSameAs(one.socket);
    }

    /** Its other end may not have heard of the close, and be the client that asks. */
    @Test
    void oneWhoseCloseTheKernelHasNotToldIsStillHere() throws IOException {
        One one = accept(10, 20);
        One other = accept(10, 20);
        Selector selector = closing(JdkAccess.kernelProvider().openSelector());
        other.channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        other.channel.configureBlocking(false);
        other.channel.register(selector, SelectionKey.OP_READ);
        other.close(true);
        assertNotYet(() -> all.lineup().find(20, 10));
        assertThat(selector.selectNow()).isZero();
        long end = System.nanoTime() + 10_000_000_000L;
        StreamSocket found = null;
        while (found == null && System.nanoTime() - end < 0) {
            try {
                found = all.lineup().find(20, 10);
            } catch (FallbackException e) {
                assertThat(e.reason()).isEqualTo(FallbackReason.NOT_YET);
                Thread.onSpinWait();
            }
        }
        assertThat(found).isSameAs(one.socket);
    }

    /** It has ended its output, which its other end knows. */
    @Test
    void oneThatHasClosedUnderASelectorIsInNobodysWay() throws IOException {
        One one = accept(10, 20);
        One other = accept(10, 20);
        Selector selector = closing(JdkAccess.kernelProvider().openSelector());
        other.channel.configureBlocking(false);
        other.channel.register(selector, SelectionKey.OP_READ);
        other.close();
        assertThat(other.channel.isRegistered()).isTrue();
        assertThat(all.lineup().find(20, 10)).isSameAs(one.socket);
    }

    /** As long as the client sends, nobody knows how much it has sent: it may be as much as anybody has received. */
    @Test
    void theOnlyOneIsFoundWhileItsClientSends() throws IOException {
        One one = accept(10, 20);
        assertThat(all.lineup().find(20, Long.MAX_VALUE)).isSameAs(one.socket);
    }

    @Test
    void noneOfSeveralWhileTheirClientsSend() throws IOException {
        One one = accept(10, 20);
        accept(1_000, 20);
        assertNotYet(() -> all.lineup().find(20, Long.MAX_VALUE));
        assertThat(all.lineup().find(20, 10)).isSameAs(one.socket);
    }

    /** Nobody knows the bytes of a connection whose channel was dropped: it may be any client's, as long as the process lives. */
    @Test
    void oneThatWasDroppedMakesAllUncertain() throws Exception {
        One one = accept(10, 20);
        dropOne();
        long end = System.nanoTime() + 10_000_000_000L;
        boolean isUncertain = false;
        while (!isUncertain && System.nanoTime() - end < 0) {
            System.gc();
            // So many bytes that only a connection about which nothing is known can have carried them.
            assertNotYet(() -> all.lineup().find(1_000, 1_000));
            try {
                one = another(one);
            } catch (FallbackException e) {
                isUncertain = true;
            }
        }
        assertThat(isUncertain).isTrue();
    }

    /** Finds one, and makes another that is like it. */
    private One another(One one) throws IOException {
        assertThat(all.lineup().find(20, 10)).isSameAs(one.socket);
        One next = accept();
        next.received(10);
        next.sent(20);
        return next;
    }

    private void dropOne() throws IOException {
        One dropped = accept();
        dropped.received(11); // so that it is excluded as long as it is known
    }
}
