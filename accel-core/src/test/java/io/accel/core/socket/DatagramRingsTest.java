// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Keys;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program gets that raises its socket's receive buffer: what the kernel would keep of a burst is kept. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DatagramRingsTest {
    private static final Map<String, String> SETTINGS = Map.of("datagram.ring-size", "128KiB");
    private static final int ASKED = 2 << 20;
    private static final int BURST = 4_000;
    private static final int[] LENGTHS = {16, 1_472};

    @ParameterizedTest(name = "the receiver asks for the link: {0}")
    @ValueSource(booleans = {true, false})
    void aReceiverKeepsABurst(boolean receiverAsks) throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SETTINGS)) {
            DatagramLab.End receiver = lab.end();
            DatagramLab.End sender = lab.end();
            int raised = raise(receiver);
            DatagramLab.End asks = receiverAsks ? receiver : sender;
            DatagramLab.End isAsked = receiverAsks ? sender : receiver;
            DatagramLab.link(asks, isAsked);
            await().until(() -> isAsked.isLinkedTo(asks)); // who is asked has the link last
            assertKeepsWhatTheKernelKeeps(sender, receiver, raised);
        }
    }

    /** The kernel's buffer is all peers': so many links would otherwise take many times as much. */
    @Test
    void manyLinksShareIt() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SETTINGS);
                DatagramChannel kernel = JdkAccess.kernelProvider().openDatagramChannel()) {
            DatagramRings rings = new DatagramRings(kernel, lab.accelerator.profile());
            int least = lab.accelerator.profile().get(Keys.DATAGRAM_RING_SIZE);
            assertThat(rings.next(0)).isEqualTo(least);
            kernel.setOption(StandardSocketOptions.SO_RCVBUF, ASKED);
            int raised = kernel.getOption(StandardSocketOptions.SO_RCVBUF);
            assertThat(rings.next(0)).isBetween(2 * raised, 4 * raised);
            assertThat(rings.next(1)).isBetween(raised, 2 * raised);
            assertThat(rings.next(1_000)).isEqualTo(least);
        }
    }

    /** Beyond the cap datagrams go through the kernel, with that reason, until another link is given up. */
    @Test
    void beyondTheCapDatagramsGoByTheKernel() throws Exception {
        Map<String, String> settings = Map.of("datagram.ring-size", "128KiB", "shm.max", "600KiB");
        try (DatagramLab lab = new DatagramLab("low-cpu", settings)) {
            DatagramLab.End receiver = lab.end();
            DatagramLab.End first = lab.end();
            DatagramLab.link(first, receiver); // both ends are in this process: twice two rings
            await().until(() -> receiver.isLinkedTo(first));
            DatagramLab.End second = lab.end();
            await().until(() -> {
                second.send(2, receiver);
                assertThat(second.isLinkedTo(receiver)).isFalse();
                return second.socket.path(receiver.address).reason() == FallbackReason.SHM_CAP;
            });
            assertThat(drain(receiver))
                    .as("they come all the same")
                    .isNotEmpty()
                    .containsOnly(2L);
            assertThat(first.isLinkedTo(receiver)).isTrue();
            first.close();
            DatagramLab.link(second, receiver);
        }
    }

    /** What the system lets it have. */
    private static int raise(DatagramLab.End end) throws IOException {
        end.kernel.setOption(StandardSocketOptions.SO_RCVBUF, ASKED);
        return end.kernel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    private static void assertKeepsWhatTheKernelKeeps(DatagramLab.End sender, DatagramLab.End receiver, int raised)
            throws IOException {
        for (int length : LENGTHS) {
            drain(receiver);
            for (long number = 0; number < BURST; number++) {
                sender.send(ByteBuffer.allocate(length).putLong(0, number), receiver.address);
            }
            List<Long> got = drain(receiver);
            int most = Math.min(BURST, keptByTheKernel(length, raised));
            assertThat(got.size()).as("kept of %d bytes", length).isGreaterThanOrEqualTo(most);
        }
    }

    private static List<Long> drain(DatagramLab.End receiver) throws IOException {
        List<Long> got = new ArrayList<>();
        for (DatagramLab.Datagram one = receiver.tryReceive(); one != null; one = receiver.tryReceive()) {
            got.add(one.number());
        }
        return got;
    }

    /** How many of a burst two plain sockets keep. */
    private static int keptByTheKernel(int length, int raised) throws IOException {
        try (DatagramChannel receiver = JdkAccess.kernelProvider().openDatagramChannel();
                DatagramChannel sender = JdkAccess.kernelProvider().openDatagramChannel()) {
            receiver.setOption(StandardSocketOptions.SO_RCVBUF, raised);
            receiver.bind(DatagramLab.loopback(0)).configureBlocking(false);
            for (int i = 0; i < BURST; i++) {
                sender.send(ByteBuffer.allocate(length), receiver.getLocalAddress());
            }
            int kept = 0;
            while (receiver.receive(ByteBuffer.allocate(length)) != null) {
                kept++;
            }
            return kept;
        }
    }
}
