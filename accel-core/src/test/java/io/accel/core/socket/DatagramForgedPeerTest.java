// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Link;
import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Keys;
import io.accel.profile.Role;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that has a link, speaks no protocol and writes nonsense: the path is given up, the socket and the kernel's go on. */
@Timeout(60)
class DatagramForgedPeerTest {
    private static final int MAGIC = 0x6461_7467;

    private DatagramLab lab;
    private DatagramLab.End end;
    /** Has the forger's address, and no Accel. */
    private DatagramChannel plain;

    private Link forger;

    @BeforeEach
    void open() throws Exception {
        lab = new DatagramLab("balanced", Map.of("datagram.ring-size", "128KiB", "datagram.retry", "5ms"));
        end = lab.end();
        plain = JdkAccess.kernelProvider().openDatagramChannel();
        plain.bind(DatagramLab.loopback(0));
        forger = connect();
    }

    @AfterEach
    void close() throws Exception {
        forger.free();
        plain.close();
        lab.close();
    }

    private Link connect() throws Exception {
        InetSocketAddress source = (InetSocketAddress) plain.getLocalAddress();
        Connecting connecting = lab.accelerator
                .datagramFabricsFor(Role.CLIENT, end.address)
                .get(0)
                .connect(
                        end.address,
                        address -> source,
                        lab.accelerator.profile().get(Keys.DATAGRAM_RING_SIZE));
        Link link = await().pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .until(connecting::advance, Objects::nonNull);
        link.signal(Link.ATTACHED);
        await().pollInterval(Duration.ofMillis(1)).until(() -> end.socket.links() == 1);
        return link;
    }

    private void publish(int length, int magic, long to) {
        ByteBuffer frame = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        forger.sendRing().copyIn(0, frame.putInt(length).putInt(magic).flip(), 0, 8);
        forger.publish(0, to);
    }

    /** Whatever it did: nothing was received, its memory is given back, and the kernel carries both ways. */
    private void assertOnlyTheKernelIsLeft() throws Exception {
        assertThat(end.tryReceive()).isNull();
        assertThat(end.socket.links()).isZero();
        InetSocketAddress there = (InetSocketAddress) plain.getLocalAddress();
        plain.send(ByteBuffer.allocate(8).putLong(0, 11), end.address);
        DatagramLab.Datagram got = end.receive();
        assertThat(got.number()).isEqualTo(11);
        assertThat(got.from()).isEqualTo(there);
        end.send(ByteBuffer.allocate(8).putLong(0, 12), there);
        ByteBuffer answer = ByteBuffer.allocate(8);
        do { // behind what went through the kernel before, and was still under way
            assertThat(plain.receive(answer.clear())).isEqualTo(end.address);
        } while (answer.hasRemaining() || answer.getLong(0) != 12);
        assertThat(end.socket.path(there).path()).isEqualTo("kernel");
        await().atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 1); // the forger's own
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 65_528, 17})
    void lengths(int length) throws Exception {
        publish(length, MAGIC, 24);
        assertOnlyTheKernelIsLeft();
    }

    @Test
    void marks() throws Exception {
        publish(8, MAGIC + 1, 16);
        assertOnlyTheKernelIsLeft();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 128 * 1024 + 1})
    void producerCursors(long cursor) throws Exception {
        publish(8, MAGIC, cursor);
        assertOnlyTheKernelIsLeft();
    }

    /** What a sender finds when it looks for room: the datagram that was to be sent goes through the kernel then. */
    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 10L * 128 * 1024})
    void consumerCursors(long cursor) throws Exception {
        InetSocketAddress there = (InetSocketAddress) plain.getLocalAddress();
        assertThat(end.socket.path(there).path()).isEqualTo("shm");
        forger.consumed(cursor);
        plain.configureBlocking(false);
        ByteBuffer got = ByteBuffer.allocate(100);
        for (int sent = 0; plain.receive(got) == null; sent++) {
            assertThat(sent).as("datagrams until it looks for room").isLessThan(128 * 1024 / 16 + 1_000);
            end.send(ByteBuffer.allocate(8).putLong(0, 9), there);
        }
        assertThat(got.getLong(0)).isEqualTo(9);
        plain.configureBlocking(true);
        assertOnlyTheKernelIsLeft();
    }

    /** Any bytes at any time, while the socket is used both ways. */
    @Test
    void noise() throws Exception {
        InetSocketAddress there = (InetSocketAddress) plain.getLocalAddress();
        Random random = new Random(42);
        int lives = 0;
        while (lives < 50) {
            byte[] noise = new byte[512];
            random.nextBytes(noise);
            forger.sendRing().copyIn(random.nextInt(4096), ByteBuffer.wrap(noise), 0, noise.length);
            forger.publish(0, random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(1024));
            forger.consumed(random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(1024));
            for (int i = 0; i < 20; i++) {
                end.send(ByteBuffer.allocate(random.nextInt(3_000)), there);
                DatagramLab.Datagram unused = end.tryReceive();
            }
            if (end.socket.links() == 0) {
                forger.free();
                forger = connect();
                lives++;
            }
        }
        publish(-1, MAGIC, -1);
        plain.configureBlocking(false);
        while (plain.receive(ByteBuffer.allocate(3_000)) != null) {
            // what went through the kernel between two links
        }
        plain.configureBlocking(true);
        assertOnlyTheKernelIsLeft();
    }
}
