// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.KernelDatagrams;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A channel that many others have talked with, most of which are quiet for a while. */
@Tag("datagram")
class DatagramManyPeersTest extends DatagramSupport {
    private static final int PEERS = 12;
    private static final int ROUNDS = 30;

    private final Random random = new Random(3);
    private DatagramChannel receiver;
    private List<DatagramChannel> peers;

    private void open() throws IOException {
        receiver = bound();
        peers = new ArrayList<>();
        for (int i = 0; i < PEERS; i++) {
            DatagramChannel peer = bound();
            warm(peer, receiver);
            peers.add(peer);
        }
    }

    private DatagramChannel anyPeer() {
        return peers.get(random.nextInt(PEERS));
    }

    /** One of the peers talks for so long that the others are quiet in comparison. */
    private void letOthersBeQuiet(DatagramChannel loud) throws IOException {
        long end = System.nanoTime() + 4_000_000;
        for (int i = 0; i < 300 || System.nanoTime() - end < 0; i++) {
            send(loud, "loud", addressOf(receiver));
            assertThat(receiveText(receiver)).isEqualTo("loud");
        }
    }

    /**
     * Sends, so that it is there for a receiver that looks once: a kernel whose processors are busy delivers a datagram later than
     * the call that sent it returns.
     */
    private void sendAndAwaitArrival(DatagramChannel peer, String text) throws IOException {
        send(peer, text, addressOf(receiver));
        if (Path.current().isKernels() && KernelDatagrams.areKnown()) {
            eventually().until(() -> KernelDatagrams.waitFor(receiver));
        }
    }

    @Test
    void quietPeerIsHeardByABlockingReceiver() throws Exception {
        open();
        for (int round = 0; round < ROUNDS; round++) {
            if (round % 10 == 0) {
                letOthersBeQuiet(anyPeer());
            }
            DatagramChannel peer = anyPeer();
            Task<Datagram> waiting = start(() -> receive(receiver)).awaitInside("receive");
            send(peer, "quiet " + round, addressOf(receiver));
            assertThat(waiting.result()).isEqualTo(new Datagram(addressOf(peer), Bytes.ascii("quiet " + round)));
        }
    }

    @Test
    void quietPeerIsThereForAReceiverThatDoesNotWait() throws IOException {
        open();
        receiver.configureBlocking(false);
        ByteBuffer buffer = ByteBuffer.allocate(100);
        for (int round = 0; round < ROUNDS; round++) {
            letOthersBeQuiet(peers.get(0));
            assertThat(receiver.receive(buffer.clear())).isNull();
            DatagramChannel peer = anyPeer();
            sendAndAwaitArrival(peer, "quiet " + round);
            assertThat(receiver.receive(buffer.clear())).isEqualTo(addressOf(peer));
            assertThat(buffer.flip()).isEqualTo(Bytes.ascii("quiet " + round));
        }
    }

    @Test
    void quietPeersAreSelected() throws Exception {
        open();
        SelectionKey key = register(receiver, selector(), OP_READ);
        for (int round = 0; round < ROUNDS; round++) {
            if (round % 10 == 0) {
                letOthersBeQuiet(anyPeer());
            }
            key.selector().selectedKeys().clear();
            assertThat(key.selector().selectNow()).isZero();
            DatagramChannel peer = anyPeer();
            if (round % 2 == 0) {
                sendAndAwaitArrival(peer, "quiet " + round);
                assertThat(key.selector().selectNow()).isEqualTo(1);
            } else {
                Task<Integer> select = start(() -> key.selector().select()).awaitInside("select");
                send(peer, "quiet " + round, addressOf(receiver));
                assertThat(select.result()).isEqualTo(1);
            }
            assertThat(receive(receiver)).isEqualTo(new Datagram(addressOf(peer), Bytes.ascii("quiet " + round)));
        }
    }

    @Test
    void quietPeerIsSelectedByEverySelector() throws Exception {
        open();
        SelectionKey one = register(receiver, selector(), OP_READ);
        SelectionKey other = register(receiver, selector(), OP_READ);
        for (int round = 0; round < ROUNDS; round++) {
            if (round % 10 == 0) {
                letOthersBeQuiet(anyPeer());
            }
            one.selector().selectedKeys().clear();
            other.selector().selectedKeys().clear();
            assertThat(one.selector().selectNow() + other.selector().selectNow())
                    .isZero();
            Task<Integer> waiting = start(() -> one.selector().select()).awaitInside("select");
            Task<Integer> alike = start(() -> other.selector().select()).awaitInside("select");
            send(anyPeer(), "quiet " + round, addressOf(receiver));
            assertThat(waiting.result()).isEqualTo(1);
            assertThat(alike.result()).isEqualTo(1);
            assertThat(receiveText(receiver)).isEqualTo("quiet " + round);
        }
    }

    @Test
    void eachPeersDatagramsComeInOrderWhoeverElseSends() throws IOException {
        open();
        SelectionKey key = register(receiver, selector(), OP_READ);
        Map<InetSocketAddress, Integer> sent = new HashMap<>();
        Map<InetSocketAddress, Integer> received = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            letOthersBeQuiet(peers.get(0));
            for (int i = random.nextInt(FEW); i >= 0; i--) {
                DatagramChannel peer = anyPeer();
                send(peer, String.valueOf(sent.merge(addressOf(peer), 1, Integer::sum)), addressOf(receiver));
            }
            while (!received.equals(sent)) {
                awaitReady(key, OP_READ);
                Datagram got = receive(receiver);
                assertThat(got.text()).isEqualTo(String.valueOf(received.merge(got.source(), 1, Integer::sum)));
                key.selector().selectedKeys().clear();
            }
        }
    }
}
