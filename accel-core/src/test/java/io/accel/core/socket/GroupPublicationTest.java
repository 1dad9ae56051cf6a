// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.jdk.JdkAccess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which ways a datagram to a group takes, as the way to other hosts opens and closes. */
@Timeout(60)
class GroupPublicationTest {
    private static final int MOST = 1_000;

    private final Outlet outlet = new Outlet();
    private DatagramChannel kernel;
    private DatagramChannel receiver;
    private InetSocketAddress target;
    private GroupRing ring;
    private GroupPublication publication;

    /** A way to other hosts. */
    private static final class Outlet implements GroupNetwork.Outlet {
        private FallbackException closed = new FallbackException(FallbackReason.LINK_LOST, "gone");
        private int written;
        private int sent;

        @Override
        public int most() {
            return closed == null ? MOST : CLOSED;
        }

        @Override
        public FallbackException closed() {
            return closed;
        }

        @Override
        public void write(ByteBuffer src) {
            written += src.remaining();
        }

        @Override
        public void write(ByteBuffer[] srcs, int offset, int count) {
            for (int i = offset; i < offset + count; i++) {
                written += srcs[i].remaining();
            }
        }

        @Override
        public void send() {
            sent++;
        }

        @Override
        public void free() {}
    }

    @BeforeEach
    void open() throws Exception {
        receiver = JdkAccess.kernelProvider().openDatagramChannel(StandardProtocolFamily.INET);
        receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .configureBlocking(false);
        target = (InetSocketAddress) receiver.getLocalAddress();
        kernel = JdkAccess.kernelProvider().openDatagramChannel(StandardProtocolFamily.INET);
        kernel.connect(target);
    }

    @AfterEach
    void close() throws Exception {
        kernel.close();
        receiver.close();
    }

    private void publish(boolean kernelToo) {
        GroupFlow flow = new GroupFlow(target, 1, target, kernelToo);
        ring = new GroupRing("network:test", flow, 1 << 16);
        publication = new GroupPublication(ring, flow, outlet);
    }

    /** Sends a datagram by either method: whether the kernel has brought it, whether the ring has it, and how often it went to other hosts. */
    private int[] ways(boolean gathering, int length) throws Exception {
        int sentBefore = outlet.sent;
        int writtenBefore = outlet.written;
        long before = published();
        ByteBuffer src = ByteBuffer.allocate(length);
        if (gathering) {
            ByteBuffer[] srcs = {
                src.duplicate().limit(length / 2), src.duplicate().position(length / 2)
            };
            assertThat(publication.write(kernel, srcs, 0, 2, length)).isEqualTo(length);
            assertThat(srcs[1].hasRemaining()).isFalse();
        } else {
            assertThat(publication.send(kernel, src, target)).isEqualTo(length);
            assertThat(src.hasRemaining()).isFalse();
        }
        int brought = receiver.receive(ByteBuffer.allocate(length)) == null ? 0 : 1;
        int out = outlet.sent - sentBefore;
        assertThat(outlet.written - writtenBefore).isEqualTo(out * length);
        return new int[] {brought, published() > before ? 1 : 0, out};
    }

    private long published() throws Exception {
        GroupRing.End end = (GroupRing.End) ring.subscribe();
        long published = end.published();
        end.free();
        return published;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theKernelAloneStandsInForTheNetwork(boolean gathering) throws Exception {
        publish(false);
        assertThat(ways(gathering, 100)).containsExactly(1, 0, 0);
        assertThat(publication.info()).isEqualTo(new PathInfo("kernel", FallbackReason.LINK_LOST, "gone"));
        outlet.closed = null;
        assertThat(ways(gathering, 100)).containsExactly(0, 1, 1);
        assertThat(ways(gathering, MOST)).containsExactly(0, 1, 1);
        assertThat(ways(gathering, MOST + 1)).containsExactly(1, 0, 0);
        assertThat(publication.info()).isEqualTo(new PathInfo("shm", null, null));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theKernelAndThisHostGoOnWithoutTheNetwork(boolean gathering) throws Exception {
        publish(true);
        assertThat(ways(gathering, 100)).containsExactly(1, 1, 0);
        assertThat(publication.info()).isEqualTo(new PathInfo("shm", null, null));
        outlet.closed = null;
        assertThat(ways(gathering, 100)).containsExactly(1, 1, 1);
        assertThat(ways(gathering, MOST + 1)).containsExactly(1, 1, 0);
    }
}
