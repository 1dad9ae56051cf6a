package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fabric that fails for a listener: the kernel serves its clients, and no connection is lost in between. */
@Timeout(60)
class ListenFaultsTest {
    /** Another listener on the fabrics of a lab. */
    private record Listener(ServerSocketChannel kernel, StreamListener listener, InetSocketAddress address) {
        static Listener open(FaultLab lab) throws IOException {
            ServerSocketChannel kernel = JdkAccess.kernelProvider().openServerSocketChannel();
            kernel.bind(new InetSocketAddress(lab.lab.address.getAddress(), 0));
            kernel.configureBlocking(false);
            InetSocketAddress address = (InetSocketAddress) kernel.getLocalAddress();
            return new Listener(kernel, new StreamListener(lab.lab.accelerator, kernel), address);
        }

        void close() throws IOException {
            listener.close();
            kernel.close();
        }
    }

    @Test
    void aListenerThatNoFabricServesIsTheKernels() throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            Lab.Pair bystander = lab.lab.connect();
            lab.arm(Side.SERVER, Call.LISTEN, 1, FallbackReason.SHM_DIR);
            Listener victim = Listener.open(lab);
            victim.listener().bound(victim.address(), 50);
            assertThat(victim.listener().isAccelerated()).isFalse();

            StreamSocket client = lab.lab.socket(true);
            assertThat(client.connect(victim.address(), source -> {
                        client.kernel().bind(new InetSocketAddress(source, 0));
                        return (InetSocketAddress) client.kernel().getLocalAddress();
                    }))
                    .isFalse();
            assertThat(client.path().reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            client.kernel().connect(victim.address());
            await().atMost(10, TimeUnit.SECONDS).until(() -> {
                StreamSocket accepted = victim.listener().accept();
                if (accepted != null) {
                    accepted.kernel().close();
                }
                return accepted != null;
            });
            client.close(false, false);
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
            assertThatThrownBy(() -> victim.listener().bound(victim.address(), 50))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(FallbackException.class)
                    .hasMessageContaining("RENDEZVOUS_TAKEN");
            victim.close();
            lab.nothingIsLeft();
        }
    }

    /** A connection that the fabric has established, but hands over only after its listener was closed. */
    @Test
    void aHandOverAfterTheCloseIsReset() throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            lab.fabric().holdHandOvers();
            StreamSocket client = lab.lab.socket(true);
            assertThat(lab.connectBlocking(client))
                    .as("established without the program")
                    .isFalse();
            FaultLab.soon(() -> assertThat(lab.fabric().heldHandOvers()).isEqualTo(1));
            lab.lab.listener.close();
            lab.fabric().handOver();
            assertThatThrownBy(() -> Streams.read(lab.lab.accelerator.waits(), client, ByteBuffer.allocate(1)))
                    .isInstanceOf(IOException.class);
            client.close(false, false);
            lab.notEvenTheListenerIsLeft();
        }
    }

    /** Hand-overs that race with the close: each connection is accepted or reset, none is forgotten. */
    @Test
    void handOversThatRaceWithTheCloseAreResetOrAccepted() throws Exception {
        for (int round = 0; round < 50; round++) {
            try (FaultLab lab = new FaultLab("balanced")) {
                lab.fabric().holdHandOvers();
                StreamSocket client = lab.lab.socket(true);
                assertThat(lab.connectBlocking(client)).isFalse();
                FaultLab.soon(() -> assertThat(lab.fabric().heldHandOvers()).isEqualTo(1));
                var handOver = Streams.start(() -> {
                    lab.fabric().handOver();
                    return null;
                });
                lab.lab.listener.close();
                handOver.get(10, TimeUnit.SECONDS);
                client.close(false, false);
                lab.notEvenTheListenerIsLeft();
            }
        }
    }
}
