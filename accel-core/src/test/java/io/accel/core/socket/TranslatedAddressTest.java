// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A client that knows a connection by another address than the server finds the connection by its own address. */
class TranslatedAddressTest {
    private static final InetSocketAddress LOCAL = new InetSocketAddress("192.0.2.1", 8080);
    private static final InetSocketAddress REMOTE = new InetSocketAddress("192.0.2.2", 50_000);
    private static final InetSocketAddress TRANSLATED = new InetSocketAddress("198.51.100.7", 80);

    private final Listeners fabric = new Listeners();
    private final Accelerator accelerator =
            new Accelerator(Profile.load("balanced", Map.of()), Map.of(FabricName.SHM, fabric));

    /** Keeps what a listener says to its clients. */
    private static final class Listeners implements Fabric {
        final List<Acceptor> acceptors = new ArrayList<>();

        @Override
        public String name() {
            return "shm";
        }

        @Override
        public boolean comparesBeginnings() {
            return true;
        }

        @Override
        public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
            throw new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, null);
        }

        @Override
        public Listening listen(InetSocketAddress bound, Acceptor acceptor) {
            acceptors.add(acceptor);
            return () -> {};
        }
    }

    /** A connection as far as its addresses go. */
    private record Addresses(InetSocketAddress local, InetSocketAddress remote) implements Anchor {
        @Override
        public SelectableChannel watched() {
            return null;
        }

        @Override
        public int typeOfService() {
            return 0;
        }

        @Override
        public boolean isConnected() {
            return false;
        }

        @Override
        public int available() {
            return 0;
        }

        @Override
        public boolean hasEnded() {
            return false;
        }

        @Override
        public int read(ByteBuffer dst) {
            return 0;
        }

        @Override
        public int readShut(ByteBuffer dst) {
            return 0;
        }

        @Override
        public int send(ByteBuffer bytes) {
            return 0;
        }

        @Override
        public void shutdownInput() {}

        @Override
        public void shutdownOutput() {}

        @Override
        public boolean isOutputShut() {
            return false;
        }

        @Override
        public boolean closesInOrder() {
            return false;
        }

        @Override
        public void resetOnClose() {}

        @Override
        public void endOnClose() {}

        @Override
        public Anchor keep() {
            return null;
        }

        @Override
        public void close() {}
    }

    private StreamListener listen(int port) throws IOException {
        StreamListener listener = new StreamListener(accelerator);
        listener.bound(new InetSocketAddress("0.0.0.0", port));
        return listener;
    }

    @Test
    void itsOwnListenerFindsItByTheClientsAddress() throws Exception {
        StreamListener first = listen(8080);
        StreamListener second = listen(8081);
        StreamSocket socket = first.accepted(new Addresses(LOCAL, REMOTE));
        socket.incoming().enter();
        ByteBuffer came = ByteBuffer.wrap(new byte[] {1, 2, 3});
        assertThat(socket.incoming().took(3, came.position(3))).isEqualTo(3);
        socket.incoming().leave();
        Fabric.Acceptor.Known known = fabric.acceptors.get(0).known(TRANSLATED, REMOTE);
        assertThat(known.local()).isEqualTo(LOCAL);
        assertThat(known.beginnings().received()).isEqualTo(3);
        assertThat(known.beginnings().sent()).isZero();
        assertThat(fabric.acceptors.get(0).known(LOCAL, REMOTE).local()).isEqualTo(LOCAL);
        assertThat(fabric.acceptors.get(1).known(TRANSLATED, REMOTE))
                .as("by another listener")
                .isNull();
        assertThat(fabric.acceptors.get(0).known(TRANSLATED, TRANSLATED))
                .as("of another client")
                .isNull();
        socket.close(() -> false, false);
        assertThat(fabric.acceptors.get(0).known(TRANSLATED, REMOTE))
                .as("closed")
                .isNull();
        assertThat(fabric.acceptors.get(0).known(LOCAL, REMOTE)).as("closed").isNull();
        first.close();
        second.close();
    }

    @Test
    void aConnectionOverLoopbackIsNobodysElsewhere() throws Exception {
        StreamListener listener = listen(8080);
        InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080);
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), 50_000);
        StreamSocket socket = listener.accepted(new Addresses(local, remote));
        assertThat(socket.handover().beginnings()).isNull();
        assertThat(fabric.acceptors.get(0).known(local, remote)).isNull();
        assertThat(fabric.acceptors.get(0).known(TRANSLATED, remote)).isNull();
        socket.close(() -> false, false);
        listener.close();
    }

    /** A client's port may be used again at once: a connection that closes late takes nothing from its successor. */
    @Test
    void aSuccessorIsFound() throws Exception {
        StreamListener listener = listen(8080);
        StreamSocket first = listener.accepted(new Addresses(LOCAL, REMOTE));
        InetSocketAddress other = new InetSocketAddress("192.0.2.3", 8080);
        StreamSocket second = listener.accepted(new Addresses(other, REMOTE));
        first.close(() -> false, false);
        assertThat(fabric.acceptors.get(0).known(TRANSLATED, REMOTE).local()).isEqualTo(other);
        second.close(() -> false, false);
        listener.close();
    }

    /** The two ends count urgent bytes differently, and bytes of a link are not bytes that the kernel carries. */
    @Test
    void whatIsComparedEndsWhereTheEndsCountDifferently() throws Exception {
        StreamListener listener = listen(8080);
        StreamSocket socket = listener.accepted(new Addresses(LOCAL, REMOTE));
        write(socket, 2);
        assertThat(socket.handover().beginnings().sent()).isEqualTo(2);
        assertThat(socket.outgoing().fix()).isNull();
        write(socket, 2);
        assertThat(socket.handover().beginnings().sent()).isEqualTo(2);
        socket.close(() -> false, false);
        listener.close();
    }

    @Test
    void whatNobodyHasSeenEndsIt() throws Exception {
        StreamListener listener = listen(8080);
        StreamSocket socket = listener.accepted(new Addresses(LOCAL, REMOTE));
        write(socket, 2);
        assertThat(socket.outgoing().enter(true)).isNull();
        socket.outgoing().gave(5); // by sendfile
        socket.outgoing().leave();
        write(socket, 2);
        assertThat(socket.handover().beginnings().sent()).isEqualTo(2);
        socket.close(() -> false, false);
        listener.close();
    }

    private static void write(StreamSocket socket, int n) throws IOException {
        assertThat(socket.outgoing().enter(true)).isNull();
        socket.outgoing().gave(n, ByteBuffer.allocate(n).position(n));
        socket.outgoing().leave();
    }

    @Test
    void aGatheringWriteIsSeenAsOne() throws Exception {
        StreamListener listener = listen(8080);
        StreamSocket socket = listener.accepted(new Addresses(LOCAL, REMOTE));
        StreamSocket same = listener.accepted(new Addresses(LOCAL, TRANSLATED));
        ByteBuffer[] srcs = {
            ByteBuffer.allocate(1),
            ByteBuffer.wrap(new byte[] {9, 1, 2, 3}).position(1),
            ByteBuffer.wrap(new byte[] {4, 5, 6})
        };
        srcs[0].position(1);
        Outgoing out = socket.outgoing();
        assertThat(out.enter(true)).isNull();
        int[] before = out.positions(srcs, 1, 2);
        srcs[1].position(4);
        srcs[2].position(1); // two more bytes did not go through it
        out.gave(4, srcs, before, 1);
        out.leave();
        assertThat(same.outgoing().enter(true)).isNull();
        same.outgoing().gave(4, new byte[] {0, 1, 2, 3, 4}, 1);
        same.outgoing().leave();
        assertThat(socket.handover().beginnings().sent()).isEqualTo(4);
        assertThat(socket.handover().beginnings().sumOfSent(4))
                .isEqualTo(same.handover().beginnings().sumOfSent(4));
        socket.close(() -> false, false);
        same.close(() -> false, false);
        listener.close();
    }
}
