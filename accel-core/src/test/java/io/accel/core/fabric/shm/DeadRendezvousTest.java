// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.fabric.PortSpace;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The files that a killed listener leaves behind mislead nobody and go in time; a living listener's files stay. */
@SuppressWarnings("try") // some resources are only held
class DeadRendezvousTest {
    private ShmEnds ends;

    @BeforeEach
    void open() throws IOException {
        ends = new ShmEnds();
    }

    @AfterEach
    void close() throws IOException {
        ends.close();
    }

    @Test
    void deadOnesAreRemoved() throws Exception {
        dead("127.0.0.1");
        dead("127.0.0.2");
        // Killed before it opened its socket.
        RendezvousDirectory.create(ends.newRendezvous("127.0.0.3"), "");
        DeadRendezvous.sweep(ends.place(), later());
        assertThat(ends.content()).isEmpty();
    }

    @Test
    void youngOnesStay() throws Exception {
        Path young = dead("127.0.0.1");
        DeadRendezvous.sweep(ends.place(), Instant.now().minusSeconds(60));
        assertThat(young).isDirectory();
    }

    @Test
    void aLivingListenerKeepsItsOwn() throws Exception {
        ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);
        try (var listening = ends.fabric().listen(ShmEnds.address("127.0.0.1"), acceptor)) {
            DeadRendezvous.sweep(ends.place(), later());
            ends.connect("127.0.0.1").free();
            acceptor.next().link().free();
        }
    }

    /** The processes that could remove files left in a namespace die with it. */
    @Test
    void deadOnesOfOtherNamespacesAreRemoved() throws Exception {
        Files.createDirectory(ends.place().resolve("accel-1-127.0.0.1-80~x1"));
        Files.createDirectory(ends.place().resolve("accel-1-udp-any-80~x2"));
        Files.createDirectory(ends.place().resolve("accel-1-any4-80~x3-dead-12ab"));
        ShmFabric elsewhere = new ShmFabric(ends.config(), () -> new Namespace("elsewhere", address -> true));
        try (var listening = elsewhere.listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1))) {
            DeadRendezvous.sweep(ends.place(), later());
            assertThat(ends.content()).as("the living one").hasSize(2);
        }
        assertThat(ends.content()).isEmpty();
    }

    @Test
    void whatIsNotARendezvousStays() throws Exception {
        Path other = Files.createDirectory(ends.place().resolve("accel-stats-1"));
        Path file = Files.createFile(ends.place()
                .resolve(RendezvousPath.prefix(Namespace.OWN, PortSpace.TCP, InetAddress.getLoopbackAddress(), 80)
                        + "x"));
        DeadRendezvous.sweep(ends.place(), later());
        assertThat(ends.content()).containsExactlyInAnyOrder(other, file);
    }

    @Test
    void theListenerOnAllAddressesIsFoundBehindADeadOne() throws Exception {
        dead("127.0.0.1");
        assertThat(Fallbacks.of(() -> ends.begin("127.0.0.1")).reason()).isEqualTo(FallbackReason.STALE_RENDEZVOUS);
        ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);
        try (var listening = ends.fabric().listen(ShmEnds.address("0.0.0.0"), acceptor)) {
            ends.connect("127.0.0.1").free();
            acceptor.next().link().free();
        }
    }

    /** The state after a process was killed: the socket's file exists, and nobody listens. */
    private Path dead(String host) throws IOException {
        Path directory = ends.newRendezvous(host);
        RendezvousDirectory.create(directory, "");
        try (ServerSocketChannel socket =
                JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(directory.resolve(RendezvousPath.SOCKET)));
        }
        return directory;
    }

    private static Instant later() {
        return Instant.now().plusSeconds(60);
    }
}
