// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.datagram.DatagramReception;
import io.accel.core.datagram.GroupReceiver;
import io.accel.core.datagram.GroupSender;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.Subscription;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GroupRingTest {
    private static final int SIZE = 1 << 16;
    private static final int COUNT = 200_000;

    private final GroupRing ring = new GroupRing("network:test", flow(), SIZE);
    private final GroupSender sender = new GroupSender(ring);

    private static GroupFlow flow() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        return new GroupFlow(any, 1, any, true);
    }

    private void send(long number) {
        try {
            sender.write(ByteBuffer.allocate(100).putLong(0, number).putLong(92, number));
        } catch (IOException e) {
            throw new UncheckedIOException("the buffer is no mapping, and cannot fail", e);
        }
        sender.publish();
    }

    /** A reader that sleeps whenever it has nothing hears all, or counts it as lost, and wakes for the end. */
    @Test
    void readerThatSleepsMissesNothingUncounted() throws Exception {
        Subscription end = ring.subscribe();
        GroupReceiver receiver = new GroupReceiver(end, 0);
        Thread publisher = new Thread(() -> {
            for (long i = 0; i < COUNT; i++) {
                send(i);
            }
            ring.free();
        });
        publisher.start();
        long next = 0;
        long skipped = 0;
        ByteBuffer dst = ByteBuffer.allocate(200);
        try (Selector selector = Selector.open()) {
            SelectionKey unused = end.doorbell().register(selector, SelectionKey.OP_READ);
            while (true) {
                boolean over = end.peerGone();
                if (receiver.next() != DatagramReception.NONE) {
                    if (receiver.take(dst.clear())) {
                        long number = dst.getLong(0);
                        assertThat(number).isGreaterThanOrEqualTo(next).isEqualTo(dst.getLong(92));
                        skipped += number - next;
                        next = number + 1;
                    }
                } else if (over) {
                    break;
                } else {
                    end.arm(Link.DATA);
                    if (!receiver.ready() && !end.peerGone()) {
                        int ready = selector.select(10_000);
                        assertThat(ready).as("the doorbell rings").isPositive();
                        selector.selectedKeys().clear();
                        boolean drained = end.drainDoorbell();
                        assertThat(drained).isTrue();
                    }
                }
            }
        }
        publisher.join();
        assertThat(next).isEqualTo(COUNT);
        assertThat(receiver.lost()).isEqualTo(skipped);
        end.free();
        assertThat(ring.members()).isZero();
    }

    @Test
    void skippedNumbersAreLost() throws Exception {
        Subscription end = ring.subscribe();
        GroupReceiver receiver = new GroupReceiver(end, 0);
        send(0);
        sender.skip(3);
        send(4);
        assertThat(receiver.next()).isEqualTo(100);
        receiver.skip();
        assertThat(receiver.lost()).isZero();
        assertThat(receiver.next()).isEqualTo(100);
        assertThat(receiver.takeLost()).isEqualTo(3);
        end.free();
    }
}
