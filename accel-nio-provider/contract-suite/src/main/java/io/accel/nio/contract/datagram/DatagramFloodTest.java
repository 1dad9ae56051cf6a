// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** More datagrams than a receiver takes: they are dropped, whole, and nobody waits or fails. */
@Tag("datagram")
class DatagramFloodTest extends DatagramSupport {
    private static final int SMALL = 64;
    private static final int MANY_SMALL = 50_000;
    private static final int LARGE = 60_000;
    private static final int MANY_LARGE = 2_000;

    /** Less than half of what is sent in large datagrams. */
    private static final long MEMORY_LIMIT = 48 << 20;

    /** Over RDMA the last of a flood waits until its sender hears that there is room, some ten milliseconds later. */
    private static final int QUIET_MILLIS = Path.current() == Path.RDMA ? 300 : 20;

    @Test
    void senderNeverWaits() throws IOException {
        for (boolean blocking : new boolean[] {true, false}) {
            Ends ends = ends();
            ends.left().configureBlocking(blocking);
            flood(ends.left(), addressOf(ends.right()), SMALL, MANY_SMALL);
            drain(ends.right(), SMALL);
        }
    }

    @Test
    void connectedSenderNeverWaits() throws IOException {
        Ends ends = connectedEnds();
        flood(ends.left(), addressOf(ends.right()), SMALL, MANY_SMALL);
        assertThat(drain(ends.right(), SMALL)).isPositive();
    }

    @Test
    void memoryIsBounded() throws IOException {
        assumeTrue(Files.exists(java.nio.file.Path.of("/proc/self/status")), "this system does not tell of its memory");
        Ends ends = ends();
        flood(ends.left(), addressOf(ends.right()), LARGE, 100);
        drain(ends.right(), LARGE);
        long before = residentBytes();
        flood(ends.left(), addressOf(ends.right()), LARGE, MANY_LARGE);
        flood(ends.left(), addressOf(ends.right()), SMALL, MANY_SMALL);
        assertThat(residentBytes() - before).as("bytes that came into memory").isLessThan(MEMORY_LIMIT);
    }

    @Test
    void receiverThatReadsAgainHearsWhatIsSentThen() throws IOException {
        Ends ends = ends();
        for (int round = 0; round < 5; round++) {
            flood(ends.left(), addressOf(ends.right()), SMALL, 5_000);
            assertThat(drain(ends.right(), SMALL))
                    .as("datagrams that there was room for")
                    .isPositive();
            for (int i = 0; i < FEW; i++) {
                send(ends.left(), "after " + i, addressOf(ends.right()));
            }
            for (int i = 0; i < FEW; i++) {
                assertThat(receiveText(ends.right())).isEqualTo("after " + i);
            }
        }
    }

    @Test
    void floodOfOneSenderDoesNotKeepOthersOut() throws IOException {
        DatagramChannel receiver = bound();
        DatagramChannel flooding = bound();
        DatagramChannel quiet = bound();
        warm(flooding, receiver);
        warm(quiet, receiver);
        for (int round = 0; round < 3; round++) {
            flood(flooding, addressOf(receiver), SMALL, 5_000);
            drain(receiver, SMALL);
            send(quiet, "heard", addressOf(receiver));
            assertThat(receive(receiver)).isEqualTo(new Datagram(addressOf(quiet), Bytes.ascii("heard")));
        }
    }

    @Test
    void slowReceiverDoesNotSlowAnother() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel slow = bound();
        DatagramChannel quick = bound();
        warm(sender, slow);
        warm(sender, quick);
        for (int i = 0; i < 2_000; i++) {
            send(sender, "ignored", addressOf(slow));
            send(sender, "datagram " + i, addressOf(quick));
            assertThat(receiveText(quick)).isEqualTo("datagram " + i);
        }
    }

    @Test
    void floodedReceiverIsReadable() throws IOException {
        Ends ends = ends();
        SelectionKey sending = register(ends.left(), selector(), SelectionKey.OP_WRITE);
        SelectionKey receiving = register(ends.right(), selector(), SelectionKey.OP_READ);
        flood(ends.left(), addressOf(ends.right()), SMALL, 5_000);
        awaitReady(sending, SelectionKey.OP_WRITE);
        awaitReady(receiving, SelectionKey.OP_READ);
        drain(ends.right(), SMALL);
        receiving.selector().selectedKeys().clear();
        assertThat(receiving.selector().selectNow()).isZero();
    }

    @Test
    void receiverThatClosesInAFloodIsLetGo() throws Exception {
        Ends ends = ends();
        InetSocketAddress address = addressOf(ends.right());
        Task<Void> sender = run(() -> {
            flood(ends.left(), address, SMALL, MANY_SMALL);
            letArrive(ends.left());
        });
        for (int i = 0; i < 100; i++) {
            receive(ends.right());
        }
        ends.right().close();
        sender.result();
        DatagramChannel next = datagrams().bind(address);
        assertNothingArrives(next);
        send(ends.left(), "next", address);
        assertThat(receiveText(next)).isEqualTo("next");
    }

    /** Sends numbered datagrams; none may be refused, though a channel that does not block may ask to try again. */
    private static void flood(DatagramChannel sender, InetSocketAddress target, int length, int count)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(length);
        for (int i = 0; i < count; i++) {
            buffer.clear().putInt(0, i).putInt(length - 4, i);
            int sent = sender.send(buffer, target);
            assertThat(sent == length || (sent == 0 && !sender.isBlocking()))
                    .as("sent")
                    .isTrue();
        }
    }

    /** Receives all that there is of a flood; each datagram is whole, and they are in order. The number of datagrams. */
    private static int drain(DatagramChannel receiver, int length) throws IOException {
        boolean blocking = receiver.isBlocking();
        if (blocking) {
            receiver.configureBlocking(false);
        }
        int count = 0;
        int last = -1;
        ByteBuffer buffer = ByteBuffer.allocateDirect(length + 1);
        for (int quiet = 0; quiet < QUIET_MILLIS; quiet++) {
            while (receiver.receive(buffer.clear()) != null) {
                assertThat(buffer.position()).isEqualTo(length);
                int number = buffer.getInt(0);
                assertThat(buffer.getInt(length - 4)).isEqualTo(number);
                assertThat(number).as("number after %d", last).isGreaterThan(last);
                last = number;
                count++;
                quiet = 0;
            }
            pause(1);
        }
        if (blocking) {
            receiver.configureBlocking(true);
        }
        return count;
    }

    private static long residentBytes() throws IOException {
        List<String> status = Files.readAllLines(java.nio.file.Path.of("/proc/self/status"), StandardCharsets.US_ASCII);
        String line = status.stream()
                .filter(candidate -> candidate.startsWith("VmRSS:"))
                .findFirst()
                .orElseThrow();
        return 1024
                * Arrays.stream(line.split("\\s+", -1))
                        .filter(word -> word.matches("\\d+"))
                        .mapToLong(Long::parseLong)
                        .sum();
    }
}
