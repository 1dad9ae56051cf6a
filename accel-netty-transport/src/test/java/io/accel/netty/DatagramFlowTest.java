// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.netty.DatagramEnd.Received;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DatagramPacket;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** When datagrams are read and written, and what closing does. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is missed at the other end
class DatagramFlowTest {
    private static final int MANY = 20_000;

    private static ByteBuf bytes(int length) {
        return Unpooled.directBuffer(length).writeZero(length);
    }

    @Test
    void readsSoManyMessagesAndThenSaysSo() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            right.channel
                    .config()
                    .<MaxMessagesRecvByteBufAllocator>getRecvByteBufAllocator()
                    .maxMessagesPerRead(4);
            CountDownLatch go = new CountDownLatch(1);
            right.holdUntil(go);
            for (int i = 0; i < 10; i++) {
                left.send(bytes(1), right).sync();
            }
            go.countDown();
            List<Integer> reads = new ArrayList<>();
            for (int seen = 0, inRead = 0; seen < 10 || inRead > 0; ) {
                if (right.next().equals(DatagramEnd.READ_COMPLETE)) {
                    reads.add(inRead);
                    inRead = 0;
                } else {
                    seen++;
                    inRead++;
                }
            }
            assertThat(reads).containsExactly(4, 4, 2);
        }
    }

    @Test
    void readsWhenAskedWithoutAutoRead() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            right.channel.config().setAutoRead(false);
            right.settle(); // in which it takes effect
            left.send(bytes(1), right).sync();
            left.send(bytes(2), right).sync();
            assertThat(right.events.poll(100, MILLISECONDS)).isNull();
            for (int length = 1; length <= 2; length++) {
                right.channel.read();
                assertThat(right.next().text()).hasSize(length);
                assertThat(right.next()).isEqualTo(DatagramEnd.READ_COMPLETE);
                assertThat(right.events.poll(50, MILLISECONDS)).isNull();
            }
            right.channel.config().setAutoRead(true);
            left.send(bytes(3), right).sync();
            assertThat(right.receive().text()).hasSize(3);
        }
    }

    @Test
    void writesAllThoughOnlySoManyAtOnce() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            left.channel.config().setMaxMessagesPerWrite(1);
            for (int i = 1; i <= 10; i++) {
                left.channel.write(new DatagramPacket(bytes(i), right.address()));
            }
            left.channel.flush();
            for (int i = 1; i <= 10; i++) {
                assertThat(right.receive().text()).hasSize(i);
            }
        }
    }

    @Test
    void closeReleasesWhatIsPending() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            left.channel.config().setMaxMessagesPerWrite(1);
            List<ByteBuf> buffers = new ArrayList<>();
            List<ChannelFuture> writes = new ArrayList<>();
            left.channel
                    .eventLoop()
                    .submit(() -> {
                        for (int i = 0; i < 10; i++) {
                            if (i == 5) {
                                left.channel.flush(); // one of them is written; the others wait for the next turn
                            }
                            buffers.add(bytes(1));
                            writes.add(left.channel.write(new DatagramPacket(buffers.get(i), right.address())));
                        }
                        left.channel.close();
                    })
                    .sync();
            left.channel.closeFuture().sync();
            left.settle();
            assertThat(writes.get(0).await().isSuccess()).isTrue();
            for (ChannelFuture write : writes.subList(1, writes.size())) {
                assertThat(write.await().cause()).isInstanceOf(ClosedChannelException.class);
            }
            assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
            assertThat(right.receive().text()).hasSize(1);
            assertThat(right.events.poll(50, MILLISECONDS)).isIn(DatagramEnd.READ_COMPLETE, null);
        }
    }

    @Test
    void closesWhenAWriteIsDone() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            left.channel.config().setMaxMessagesPerWrite(2);
            List<ByteBuf> buffers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                buffers.add(bytes(1));
                ChannelFuture write = left.channel.write(new DatagramPacket(buffers.get(i), right.address()));
                if (i == 2) {
                    write.addListener(done -> left.channel.close()); // in the turn after the flush
                }
            }
            left.channel.flush();
            left.channel.closeFuture().sync();
            left.settle();
            assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
            for (int i = 0; i < 3; i++) {
                assertThat(right.receive().text()).hasSize(1);
            }
        }
    }

    @Test
    void closesInTheMiddleOfARead() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            right.channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object msg) {
                    ctx.fireChannelRead(msg);
                    ctx.close();
                }
            });
            CountDownLatch go = new CountDownLatch(1);
            right.holdUntil(go);
            for (int i = 0; i < 3; i++) {
                left.send(bytes(1), right).sync();
            }
            go.countDown();
            right.channel.closeFuture().sync();
            assertThat(right.receive().text()).hasSize(1);
            assertThat(right.next()).isEqualTo(DatagramEnd.READ_COMPLETE);
            assertThat(right.events).isEmpty();
        }
    }

    @Test
    void aSlowReceiverMakesNobodyWait() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            CountDownLatch go = new CountDownLatch(1);
            right.holdUntil(go);
            left.channel
                    .eventLoop()
                    .submit(() -> {
                        for (int i = 0; i < MANY; i++) {
                            left.channel.write(
                                    new DatagramPacket(bytes(100), right.address()), left.channel.voidPromise());
                        }
                        left.channel.flush();
                    })
                    .sync();
            assertThat(left.channel.isWritable()).isTrue();
            go.countDown();
            int received = 0;
            for (Received next = right.next(); next != null; next = right.events.poll(200, MILLISECONDS)) {
                received += next.equals(DatagramEnd.READ_COMPLETE) ? 0 : 1;
            }
            left.send(bytes(7), right).sync();
            String text = right.receive().text();
            for (; text.length() == 100; text = right.receive().text()) {
                received++; // a busy machine held it up
            }
            assertThat(text).hasSize(7);
            assertThat(received).isBetween(1_000, MANY - 1);
        }
    }

    @Test
    void countsPacketsForTheWaterMarks() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            left.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1_000, 2_000));
            ByteBuf pieces =
                    Unpooled.compositeBuffer().addComponent(true, bytes(1_500)).addComponent(true, bytes(600));
            ChannelFuture write = left.channel.write(new DatagramPacket(pieces, right.address()));
            left.settle();
            assertThat(left.channel.isWritable()).isFalse();
            left.channel.flush();
            write.sync();
            left.settle();
            assertThat(left.channel.isWritable()).isTrue();
        }
    }

    @Test
    void movesToAnotherEventLoop() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            right.channel.deregister().sync();
            left.send(bytes(4), right).sync();
            assertThat(right.events.poll(100, MILLISECONDS)).isNull();
            left.loop.register(right.channel).sync();
            assertThat(right.receive().text()).hasSize(4);
            right.channel.deregister().sync();
            right.loop.register(right.channel).sync();
            left.send(bytes(5), right).sync();
            assertThat(right.receive().text()).hasSize(5);
        }
    }
}
