// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.shm.ShmConfig;
import io.accel.core.fabric.shm.ShmFabric;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import io.accel.profile.FabricName;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import io.accel.testing.Background;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A fabric fails while a link is looked for: the connection stays with the kernel, and nothing is left of the attempt. */
@Timeout(60)
class UpgradeFaultsTest {
    private static final Set<String> DAEMONS = Set.of("accel-search", "accel-rendezvous");

    @TempDir
    Path other;

    @ParameterizedTest
    @EnumSource(FallbackReason.class)
    void whatCannotBeginStaysTheKernels(FallbackReason reason) throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            Lab.Pair bystander = lab.bystander();
            long before = Lab.descriptors();
            for (int i = 0; i < 5; i++) {
                lab.arm(Side.CLIENT, Call.CONNECT, 1, reason);
                StreamSocket client = lab.lab.client();
                assertThat(client.path().reason()).isEqualTo(reason);
                assertThat(client.path().isAccelerated()).isFalse();
                StreamSocket server = lab.lab.acceptUnasked();
                Streams.write(lab.lab.accelerator.waits(), client, ByteBuffer.allocate(3));
                assertThat(Streams.read(lab.lab.accelerator.waits(), server, ByteBuffer.allocate(9)))
                        .isEqualTo(3);
                Lab.close(client);
                Lab.close(server);
            }
            // A thread that had to wait meanwhile has opened a selector, which is kept.
            FaultLab.soon(() -> assertThat(Lab.descriptors()).isLessThan(before + 10));
            lab.othersLiveOn(bystander);
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    /** The file, the memory and the server's claim on the connection, too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyHandshakeThatFailsGivesBackWhatItTook(int nth) throws Exception {
        try (FaultLab lab = new FaultLab("balanced", Map.of("handover.after", "0"))) {
            Lab.Pair bystander = lab.bystander();
            lab.othersLiveOn(bystander); // so that the resources that stay open are open
            long before = Lab.descriptors();
            int failed = 0;
            for (int i = 0; i < 100; i++) {
                lab.arm(Side.CLIENT, Call.ADVANCE, nth, FallbackReason.NO_RESOURCES);
                StreamSocket client = lab.lab.client();
                StreamSocket server = lab.lab.accept();
                FaultLab.soon(() -> assertThat(client.path().reason()).isNotEqualTo(FallbackReason.TOO_LITTLE));
                failed += client.path().reason() == FallbackReason.NO_RESOURCES ? 1 : 0;
                Lab.close(client);
                Lab.close(server);
            }
            assertThat(failed).as("the fault was reached").isGreaterThan(nth == 1 ? 99 : 0);
            lab.faults.disarm();
            lab.othersLiveOn(bystander);
            FaultLab.soon(() -> assertThat(Lab.descriptors()).isLessThan(before + 20));
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    @Test
    void closingDuringTheHandshakeEndsIt() throws Exception {
        try (FaultLab lab = new FaultLab("balanced", Map.of("handover.after", "0"))) {
            StreamSocket client = lab.lab.client();
            FaultLab.soon(() -> assertThat(lab.faults.handshakes).hasValue(1));
            Lab.close(client);
            Lab.close(client);
            lab.nothingIsLeft();
        }
    }

    /** One client asked, and went away just when its connection was accepted; another has closed the connection itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAcceptDoesNotWaitForAClientThatHasGone(boolean asked) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("fabric.order", "shm", "connect.probe-timeout", "50s"))) {
            SocketChannel client = JdkAccess.kernelProvider().openSocketChannel();
            client.connect(lab.address);
            SocketChannel accepted = lab.kernel.accept();
            AcceptedStreams.Ends ends = new AcceptedStreams.Ends(
                    (InetSocketAddress) accepted.getLocalAddress(), (InetSocketAddress) accepted.getRemoteAddress());
            assertThat(lab.accelerator.acceptedStreams().await(ends, () -> {})).isTrue();
            StreamSocket server = new StreamSocket(lab.accelerator, new ChannelAnchor(accepted));
            assertThat(lab.listener.oneMoreToMove()).isTrue();
            var accepting = Background.start(() -> {
                server.accepted(lab.listener);
                return server.path();
            });
            accepting.awaitIn(HandoverAnswer.class, "await");
            if (asked) {
                server.handover().unclaim();
            } else {
                client.write(ByteBuffer.allocate(1)); // which is left unread
                client.close();
            }
            assertThat(accepting.get(10, TimeUnit.SECONDS).isAccelerated()).isFalse();
            server.close(() -> false, false);
            accepted.close();
            client.close();
        }
    }

    /** A program may interrupt all threads that it finds, such as those of a group. */
    @Test
    void daemonsThatAreInterruptedMakeLinksNoneTheLess() throws Exception {
        try (FaultLab lab = new FaultLab("balanced")) {
            Lab.Pair bystander = lab.bystander();
            for (int i = 0; i < 20; i++) {
                daemons().forEach(Thread::interrupt);
                Lab.Pair pair = lab.lab.connect();
                daemons().forEach(Thread::interrupt);
                Lab.close(pair.client());
                Lab.close(pair.server());
            }
            FaultLab.soon(() -> assertThat(daemons()).noneMatch(Thread::isInterrupted));
            lab.othersLiveOn(bystander);
            bystander.close();
            lab.nothingIsLeft();
        }
    }

    private static List<Thread> daemons() {
        List<Thread> all = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> DAEMONS.contains(thread.getName()))
                .toList();
        assertThat(all).hasSameSizeAs(DAEMONS);
        return all;
    }

    @Test
    void whereFallingBackIsForbiddenTheProgramIsTold() throws Exception {
        try (FaultLab lab = new FaultLab("balanced", Map.of("fallback", "fail"))) {
            lab.arm(Side.CLIENT, Call.CONNECT, 1, FallbackReason.SHM_FULL);
            assertThatThrownBy(lab.lab::client)
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("SHM_FULL");
            lab.arm(Side.CLIENT, Call.ADVANCE, 1, FallbackReason.BACKLOG_FULL);
            assertThatThrownBy(lab.lab::client)
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("BACKLOG_FULL");
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
                    Fabrics.all(profile, PortSpace.TCP).get(FabricName.SHM));
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
                profile.get(Keys.CONNECT_PROBE_TIMEOUT),
                profile.get(Keys.HANDSHAKE_TIMEOUT));
    }
}
