// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two virtual threads, which have one carrier between them if the JVM has one: one waits for a peer again and again, and the other sleeps.
 * Both ends are in this process; the peer is a platform thread. For each kind of waiting it says {@code LATE_KIND n}: so many microseconds
 * later than asked the sleeper woke, as a median. Then, for kinds that can find all they ask for there already, {@code AHEAD_KIND n}: so many
 * of {@value #THERE} bytes or datagrams one thread had taken before the other had the carrier. In the end it says {@code DONE}, and keeps its
 * connections open.
 */
public final class OneCarrier {
    private static final int SLEEPS = 40;
    private static final int SLEEP_MILLIS = 5;
    private static final int WARM = 40;
    /** Fewer than a ring holds, or the kernel's buffer of a datagram socket. */
    public static final int THERE = 200;
    /** They take a millisecond each. */
    private static final int ROUNDS = 500;
    /** What a program does with each. */
    private static final long WORK_NANOS = 2_000;

    private final InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    /** What is not to be closed before the process ends. */
    private final List<AutoCloseable> open = new ArrayList<>();

    private volatile boolean isOver;

    private OneCarrier() {}

    /** What one end does again and again. */
    private interface Turn {
        void take() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        OneCarrier all = new OneCarrier();
        console.say("LATE_READ " + all.besideRead());
        console.say("LATE_WRITE " + all.besideWrite());
        console.say("LATE_SELECT " + all.besideSelect());
        console.say("LATE_SOCKET " + all.besideSocket());
        console.say("LATE_DATAGRAM " + all.besideDatagram());
        console.say("LATE_ACCEPT " + all.besideAccept());
        console.say("AHEAD_READ " + all.aheadReading());
        console.say("AHEAD_SOCKET " + all.aheadReadingSocket());
        console.say("AHEAD_DATAGRAM " + all.aheadReceiving());
        console.say("DONE");
        console.await("END");
    }

    private long besideRead() throws Exception {
        SocketChannel[] ends = connection();
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        ByteBuffer here = ByteBuffer.allocateDirect(1);
        return measure(() -> answer(ends[1], there), () -> ask(ends[0], here));
    }

    /** The writer waits for room most of the time. */
    private long besideWrite() throws Exception {
        SocketChannel[] ends = connection();
        ByteBuffer much = ByteBuffer.allocateDirect(1 << 20);
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 12);
        return measure(() -> ends[1].write(much.clear()), () -> ends[0].read(some.clear()));
    }

    private long besideSelect() throws Exception {
        SocketChannel[] ends = connection();
        Selector selector = Selector.open();
        ends[1].configureBlocking(false).register(selector, SelectionKey.OP_READ);
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        ByteBuffer here = ByteBuffer.allocateDirect(1);
        return measure(
                () -> {
                    if (selector.select() > 0) {
                        selector.selectedKeys().clear();
                        answer(ends[1], there);
                    }
                },
                () -> ask(ends[0], here));
    }

    private long besideSocket() throws Exception {
        Socket[] ends = sockets();
        InputStream questions = ends[1].getInputStream();
        OutputStream answers = ends[1].getOutputStream();
        return measure(() -> answers.write(questions.read()), () -> {
            ends[0].getOutputStream().write(1);
            int unused = ends[0].getInputStream().read();
        });
    }

    private long besideDatagram() throws Exception {
        DatagramChannel asking = keep(DatagramChannel.open().bind(anyPort));
        DatagramChannel answering = keep(DatagramChannel.open().bind(anyPort));
        asking.connect(answering.getLocalAddress());
        answering.connect(asking.getLocalAddress());
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        ByteBuffer here = ByteBuffer.allocateDirect(1);
        return measure(
                () -> {
                    answering.read(there.clear());
                    answering.write(there.flip());
                },
                () -> {
                    asking.write(here.clear());
                    asking.read(here.clear());
                });
    }

    private long besideAccept() throws Exception {
        ServerSocketChannel listener = keep(ServerSocketChannel.open().bind(anyPort));
        return measure(() -> listener.accept().close(), () -> {
            try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                int unused = client.read(ByteBuffer.allocate(1));
            }
        });
    }

    private long aheadReading() throws Exception {
        SocketChannel[] ends = connection();
        ByteBuffer here = ByteBuffer.allocateDirect(1);
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        return ahead(() -> ends[0].write(there.clear()), () -> ends[1].read(here.clear()));
    }

    private long aheadReadingSocket() throws Exception {
        Socket[] ends = sockets();
        InputStream bytes = ends[1].getInputStream();
        return ahead(() -> ends[0].getOutputStream().write(1), () -> {
            int unused = bytes.read();
        });
    }

    private long aheadReceiving() throws Exception {
        DatagramChannel sending = keep(DatagramChannel.open().bind(anyPort));
        DatagramChannel receiving = keep(DatagramChannel.open().bind(anyPort));
        sending.connect(receiving.getLocalAddress());
        ByteBuffer here = ByteBuffer.allocateDirect(1);
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        return ahead(() -> sending.write(there.clear()), () -> receiving.receive(here.clear()));
    }

    /**
     * Returns how many of the things that are there a thread had taken when the other first had the carrier; the least of some rounds, as the
     * connection may move later than in the first.
     */
    private static long ahead(Turn give, Turn take) throws Exception {
        long least = THERE;
        for (int round = 0; round < ROUNDS && least == THERE; round++) {
            least = aheadOnce(give, take);
        }
        return least;
    }

    private static long aheadOnce(Turn give, Turn take) throws Exception {
        for (int i = 0; i < THERE; i++) {
            give.take();
        }
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger atFirst = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean waits = new AtomicBoolean();
        CountDownLatch over = new CountDownLatch(2);
        startVirtual(() -> {
            begun.countDown();
            while (!waits.get()) {
                Thread.onSpinWait(); // and keeps the carrier
            }
            for (int i = 0; i < THERE; i++) {
                take.take();
                compute();
                taken.incrementAndGet();
            }
            over.countDown();
        });
        begun.await();
        startVirtual(() -> {
            atFirst.set(taken.get());
            over.countDown();
        });
        waits.set(true);
        over.await();
        return atFirst.get();
    }

    private static void compute() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < WORK_NANOS) {
            Thread.onSpinWait();
        }
    }

    private static void answer(SocketChannel channel, ByteBuffer one) throws IOException {
        if (channel.read(one.clear()) > 0) {
            channel.write(one.flip());
        }
    }

    private static void ask(SocketChannel channel, ByteBuffer one) throws IOException {
        channel.write(one.clear());
        channel.read(one.clear());
    }

    private SocketChannel[] connection() throws IOException {
        ServerSocketChannel listener = keep(ServerSocketChannel.open().bind(anyPort));
        SocketChannel client = keep(SocketChannel.open(listener.getLocalAddress()));
        return new SocketChannel[] {client, keep(listener.accept())};
    }

    private Socket[] sockets() throws IOException {
        ServerSocket listener = keep(new ServerSocket());
        listener.bind(anyPort);
        Socket client = keep(new Socket(listener.getInetAddress(), listener.getLocalPort()));
        return new Socket[] {client, keep(listener.accept())};
    }

    private <T extends AutoCloseable> T keep(T one) {
        open.add(one);
        return one;
    }

    /** Returns how late the sleeper was beside these two, in microseconds. */
    private long measure(Turn waiting, Turn peer) throws Exception {
        isOver = false;
        CountDownLatch warm = new CountDownLatch(WARM);
        startVirtual(() -> {
            while (!isOver) {
                waiting.take();
                warm.countDown();
            }
        });
        Thread asking = new Thread(() -> untilOver(peer), "peer");
        asking.setDaemon(true);
        asking.start();
        warm.await();
        long[] late = new long[SLEEPS];
        CountDownLatch slept = new CountDownLatch(SLEEPS);
        startVirtual(() -> {
            for (int i = 0; i < SLEEPS; i++) {
                long due = System.nanoTime() + SLEEP_MILLIS * 1_000_000L;
                Thread.sleep(SLEEP_MILLIS);
                late[i] = System.nanoTime() - due;
                slept.countDown();
            }
        });
        slept.await();
        isOver = true; // both may wait for each other for good, and do so without a carrier
        Arrays.sort(late);
        return late[SLEEPS / 2] / 1_000;
    }

    private void untilOver(Turn turn) {
        while (!isOver) {
            run(turn);
        }
    }

    private static void run(Turn turn) {
        try {
            turn.take();
        } catch (Exception e) {
            throw new IllegalStateException("a thread failed", e);
        }
    }

    private static void startVirtual(Turn body) throws ReflectiveOperationException {
        Runnable task = () -> run(body);
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }
}
