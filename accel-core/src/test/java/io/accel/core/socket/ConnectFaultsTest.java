package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.shm.ShmConfig;
import io.accel.core.fabric.shm.ShmFabric;
import io.accel.core.poll.Poller;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import io.accel.profile.FabricName;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A fabric that fails while a client connects: the kernel connects it, and nothing is left of the attempt. */
@Timeout(60)
class ConnectFaultsTest {
    @TempDir
    Path other;

    @ParameterizedTest
    @EnumSource(FallbackReason.class)
    void whatCannotBeginGoesByTheKernel(FallbackReason reason) throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            Lab.Pair bystander = lab.lab.connect();
            long before = Lab.descriptors();
            for (int i = 0; i < 10; i++) {
                lab.arm(Side.CLIENT, Call.CONNECT, 1, reason);
                StreamSocket client = lab.lab.socket(true);
                assertThat(lab.connectBlocking(client)).isTrue();
                assertThat(client.path().reason()).isEqualTo(reason);
                assertThat(client.path().isAccelerated()).isFalse();
                SocketChannel server = lab.lab.accept().kernel();
                assertThat(server.isConnected()).isTrue();
                server.close();
                client.close(false, false);
                client.kernel().close();
            }
            // Whoever had to wait meanwhile has opened a selector, which is kept.
            FaultLab.soon(() -> assertThat(Lab.descriptors()).isLessThan(before + 10));
            lab.othersLiveOn(bystander);
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    @Test
    void aSourceThatCannotBeBoundIsTheProgramsException() throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            lab.faults.arm(Side.CLIENT, Call.CONNECT, 1, new IOException("no address is left"));
            StreamSocket client = lab.lab.socket(true);
            assertThatThrownBy(() -> lab.lab.begin(client)).hasMessage("no address is left");
            assertThat(client.isConnecting()).isFalse();
            client.close(false, false);
            lab.nothingIsLeft();
        }
    }

    /** So often that a place lost with each would have filled the listener's queue. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyHandshakeThatFailsGivesItsPlaceBack(int nth) throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            Lab.Pair bystander = lab.lab.connect();
            lab.othersLiveOn(bystander); // so that what is kept for good is open
            long before = Lab.descriptors();
            int failed = 0;
            for (int i = 0; i < 1_200; i++) {
                lab.arm(Side.CLIENT, Call.ADVANCE, nth, FallbackReason.NO_RESOURCES);
                StreamSocket client = lab.lab.socket(true);
                boolean byKernel = lab.connectBlocking(client);
                if (byKernel) {
                    failed++;
                    assertThat(client.path().reason()).isEqualTo(FallbackReason.NO_RESOURCES);
                }
                client.close(false, false);
                client.kernel().close();
                StreamSocket server = lab.lab.accept();
                server.close(true, false);
                if (server.kernel() != null) {
                    server.kernel().close();
                }
            }
            assertThat(failed).as("the fault was reached").isGreaterThan(nth == 1 ? 1_199 : 0);
            lab.faults.disarm();
            lab.othersLiveOn(bystander);
            FaultLab.soon(() -> assertThat(Lab.descriptors()).isLessThan(before + 20));
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    @Test
    void aClientInNonBlockingModeGoesOnByTheKernel() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu");
                Poller poller = lab.lab.accelerator.openPoller()) {
            lab.arm(Side.CLIENT, Call.ADVANCE, 1, FallbackReason.MEMLOCK);
            StreamSocket client = lab.lab.socket(false);
            assertThat(lab.lab.begin(client)).isTrue();
            var registration = poller.register(client, SelectionKey.OP_CONNECT, null);
            int[] found = new int[1];
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (found[0] == 0) {
                poller.poll(TimeUnit.SECONDS.toNanos(1), (r, ops) -> found[0] |= ops);
                assertThat(System.nanoTime() - end).as("it hangs").isNegative();
            }
            assertThat(client.finishConnect()).isTrue();
            assertThat(client.path().reason()).isEqualTo(FallbackReason.MEMLOCK);
            assertThat(client.kernel().isConnected()).isTrue();
            registration.close();
            client.close(false, false);
            lab.lab.accept().kernel().close();
            lab.nothingIsLeft();
        }
    }

    @Test
    void closingDuringTheHandshakeEndsIt() throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            StreamSocket client = lab.lab.socket(true);
            assertThat(lab.lab.begin(client)).isTrue();
            assertThat(lab.faults.handshakes).hasValue(1);
            client.close(false, false);
            client.close(false, false);
            lab.nothingIsLeft();
        }
    }

    @Test
    void whereFallingBackIsForbiddenTheProgramIsTold() throws Exception {
        try (FaultLab lab = new FaultLab("balanced", Map.of("fallback", "fail"))) {
            lab.arm(Side.CLIENT, Call.CONNECT, 1, FallbackReason.SHM_FULL);
            StreamSocket first = lab.lab.socket(true);
            assertThatThrownBy(() -> lab.lab.begin(first))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("SHM_FULL");
            first.close(false, false);
            lab.arm(Side.CLIENT, Call.ADVANCE, 1, FallbackReason.BACKLOG_FULL);
            StreamSocket second = lab.lab.socket(true);
            assertThatThrownBy(() -> lab.connectBlocking(second))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("BACKLOG_FULL");
            second.close(false, false);
            lab.nothingIsLeft();
        }
    }

    /** Two fabrics, the first of which fails at every step: the second one carries the connection. */
    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"CONNECT", "ADVANCE", "LISTEN"})
    void theNextFabricTakesOver(Call call) throws Exception {
        Faults faults = new Faults();
        FallbackException failure = new FallbackException(FallbackReason.NO_RESOURCES, "injected");
        if (call == Call.LISTEN) {
            faults.arm(Side.SERVER, call, 1, failure);
        }
        Path dir = Files.createDirectory(
                other.resolve("shm"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (Lab lab = new Lab("balanced", Map.of("fabric.order", "rdma,shm"), profile -> {
            Fabric first = new FaultyFabric(new ShmFabric(config(profile, dir)), faults);
            return Map.of(
                    FabricName.RDMA,
                    first,
                    FabricName.SHM,
                    Accelerator.fabrics(profile, PortSpace.TCP).get(FabricName.SHM));
        })) {
            if (call != Call.LISTEN) {
                faults.arm(Side.CLIENT, call, 1, failure);
            }
            Lab.Pair pair = lab.connect();
            assertThat(faults.hasTripped()).isTrue();
            assertThat(lab.mappings()).as("in the second one's directory").isPositive();
            Streams.send(lab.accelerator.waits(), pair.client(), 1000, 1);
            Streams.receive(lab.accelerator.waits(), pair.server(), 1000, 1);
            pair.close();
            FaultLab.soon(() -> assertThat(faults.out())
                    .isEqualTo("handshakes 0, links 0, listeners " + (call == Call.LISTEN ? 0 : 1) + ", places 0"));
        }
        assertThat(faults.misuse()).isEmpty();
    }

    private static ShmConfig config(Profile profile, Path dir) {
        return new ShmConfig(
                dir,
                profile.get(Keys.SHM_GROUP),
                profile.get(Keys.RING_SIZE),
                profile.get(Keys.CONNECT_PROBE_TIMEOUT),
                profile.get(Keys.HANDSHAKE_TIMEOUT));
    }
}
