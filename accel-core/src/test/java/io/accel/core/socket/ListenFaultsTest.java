// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fabric that fails for a listener: the kernel serves its clients, and no connection is lost. */
@Timeout(60)
class ListenFaultsTest {
    /** Another listener on the fabrics of a lab. */
    private record Listener(ServerSocketChannel kernel, StreamListener listener, InetSocketAddress address) {
        static Listener open(FaultLab lab) throws IOException {
            ServerSocketChannel kernel = JdkAccess.kernelProvider().openServerSocketChannel();
            kernel.bind(new InetSocketAddress(lab.lab.address.getAddress(), 0));
            InetSocketAddress address = (InetSocketAddress) kernel.getLocalAddress();
            return new Listener(kernel, new StreamListener(lab.lab.accelerator), address);
        }

        void close() throws IOException {
            listener.close();
            kernel.close();
        }
    }

    @Test
    void aListenerThatNoFabricServesIsTheKernels() throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            Lab.Pair bystander = lab.bystander();
            lab.arm(Side.SERVER, Call.LISTEN, 1, FallbackReason.SHM_DIR);
            Listener victim = Listener.open(lab);
            victim.listener().bound(victim.address());
            assertThat(victim.listener().isAccelerated()).isFalse();

            SocketChannel channel = JdkAccess.kernelProvider().openSocketChannel();
            channel.connect(victim.address());
            StreamSocket client = new StreamSocket(lab.lab.accelerator, new ChannelAnchor(channel));
            client.connected();
            assertThat(client.path().reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            SocketChannel accepted = victim.kernel().accept();
            StreamSocket server = victim.listener().accepted(new ChannelAnchor(accepted));
            assertThat(server.path().reason()).isEqualTo(FallbackReason.SHM_DIR);
            client.close(() -> false, false);
            channel.close();
            server.close(() -> false, false);
            accepted.close();
            victim.close();
            lab.othersLiveOn(bystander);
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    @Test
    void whereFallingBackIsForbiddenBindingFails() throws Exception {
        try (FaultLab lab = new FaultLab("balanced", Map.of("fallback", "fail"))) {
            lab.arm(Side.SERVER, Call.LISTEN, 1, FallbackReason.RENDEZVOUS_TAKEN);
            Listener victim = Listener.open(lab);
            assertThatThrownBy(() -> victim.listener().bound(victim.address()))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(FallbackException.class)
                    .hasMessageContaining("RENDEZVOUS_TAKEN");
            victim.close();
            lab.nothingIsLeft();
        }
    }
}
