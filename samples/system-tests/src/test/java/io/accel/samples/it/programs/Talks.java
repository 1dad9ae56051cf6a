// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/**
 * Many connections between two programs: {@code do=answer} listens, on two ports, and prints {@code PORT n} for each. It
 * has one selector, takes in whole frames, checks their sums, and sends them back.
 *
 * <p>The other has a thread for each connection that talks, and checks all that comes. Of its commands {@code OPEN port n} opens n more
 * connections and says {@code OPENED n}, which is all that it has; {@code TALK n frames} has the latest n exchange so many frames, all at once, and says
 * {@code TALKED n}. With {@code maps=n} either first maps a page of a file n times. At {@code THREADS n} the answering end starts so many threads,
 * which end when all run, and says {@code STARTED n}.
 */
public final class Talks {
    private static final int PAYLOAD_BYTES = 128 << 10;
    private static final int FRAME_BYTES = PAYLOAD_BYTES + Long.BYTES;
    private static final int BACKLOG = 1024;
    private static final int PAGE = 4096;
    private static final String THREADS = "THREADS ";

    private final Console console = new Console();
    private final List<SocketChannel> connections = new ArrayList<>();
    /** What keeps mappings of the program's own. */
    private final List<MappedByteBuffer> mapped = new ArrayList<>();
    /** No two frames are alike. */
    private final AtomicLong position = new AtomicLong();

    private Talks() {}

    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        Talks talks = new Talks();
        Arguments arguments = new Arguments(args);
        talks.map((int) arguments.get("maps", 0));
        if (arguments.get("do", "ask").equals("answer")) {
            talks.answer();
        } else {
            talks.ask();
        }
    }

    /** Maps a page of a file so many times. */
    private void map(int times) throws IOException {
        if (times == 0) {
            return;
        }
        Path file = Files.createTempFile("mapped", null);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < times; i++) {
                mapped.add(channel.map(FileChannel.MapMode.READ_WRITE, 0, PAGE));
            }
        } finally {
            Files.delete(file);
        }
    }

    private void answer() throws IOException {
        Selector selector = Selector.open();
        listen(selector);
        listen(selector);
        new Thread(this::startThreads, "commands of the answering end").start();
        while (true) {
            selector.select(this::turn);
        }
    }

    private void startThreads() {
        try {
            while (true) {
                int count = Integer.parseInt(console.next().substring(THREADS.length()));
                CountDownLatch all = new CountDownLatch(count);
                CountDownLatch end = new CountDownLatch(1);
                for (int i = 0; i < count; i++) {
                    new Thread(() -> waitFor(all, end)).start();
                }
                all.await();
                end.countDown();
                console.say("STARTED " + count);
            }
        } catch (InterruptedException | OutOfMemoryError e) {
            console.say("FAILED " + e);
        }
    }

    private void waitFor(CountDownLatch all, CountDownLatch end) {
        all.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            console.say("FAILED " + e);
        }
    }

    private void listen(Selector selector) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        console.say("PORT " + listener.socket().getLocalPort());
    }

    private void turn(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                SocketChannel accepted = ((ServerSocketChannel) key.channel()).accept();
                if (accepted != null) {
                    accepted.configureBlocking(false);
                    accepted.register(key.selector(), SelectionKey.OP_READ, ByteBuffer.allocate(FRAME_BYTES));
                }
            } else {
                exchange(key, (SocketChannel) key.channel(), (ByteBuffer) key.attachment());
            }
        } catch (IOException | IllegalStateException e) {
            console.say("FAILED " + e);
            key.cancel();
        }
    }

    /** Takes in more of a frame, or sends more of it back. */
    private static void exchange(SelectionKey key, SocketChannel channel, ByteBuffer frame) throws IOException {
        if (key.interestOps() == SelectionKey.OP_READ) {
            if (channel.read(frame) < 0) {
                channel.close();
                return;
            }
            if (frame.hasRemaining()) {
                return;
            }
            checkSum(frame.flip());
            key.interestOps(SelectionKey.OP_WRITE);
        }
        channel.write(frame);
        if (!frame.hasRemaining()) {
            frame.clear();
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    private void ask() throws IOException, InterruptedException, ExecutionException {
        while (true) {
            String[] command = console.next().split(" ", -1);
            int count = Integer.parseInt(command[command[0].equals("OPEN") ? 2 : 1]);
            switch (command[0]) {
                case "OPEN" -> {
                    open(Integer.parseInt(command[1]), count);
                    console.say("OPENED " + connections.size());
                }
                case "TALK" -> {
                    int all = connections.size();
                    talk(connections.subList(all - count, all), Integer.parseInt(command[2]));
                    console.say("TALKED " + count);
                }
                default -> throw new IllegalArgumentException(command[0]);
            }
        }
    }

    private void open(int port, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            connections.add(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        }
    }

    private void talk(List<SocketChannel> some, int frames) throws InterruptedException, ExecutionException {
        List<Callable<Integer>> talks = new ArrayList<>();
        for (SocketChannel channel : some) {
            talks.add(() -> talk(channel, frames));
        }
        ExecutorService threads = Executors.newFixedThreadPool(some.size());
        try {
            for (Future<Integer> each : threads.invokeAll(talks)) {
                int unused = each.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    private int talk(SocketChannel channel, int frames) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES);
        for (int i = 0; i < frames; i++) {
            long at = position.getAndAdd(PAYLOAD_BYTES);
            frame.clear().put(Pattern.at(at, PAYLOAD_BYTES));
            frame.putLong(sum(frame)).flip();
            while (frame.hasRemaining()) {
                channel.write(frame);
            }
            frame.clear();
            while (frame.hasRemaining()) {
                if (channel.read(frame) < 0) {
                    throw new EOFException("the end in an answer's place");
                }
            }
            checkSum(frame);
            Pattern.check(at, payload(frame));
        }
        return frames;
    }

    private static ByteBuffer payload(ByteBuffer frame) {
        return frame.duplicate().clear().limit(PAYLOAD_BYTES);
    }

    private static long sum(ByteBuffer frame) {
        CRC32 sum = new CRC32();
        sum.update(payload(frame));
        return sum.getValue();
    }

    private static void checkSum(ByteBuffer frame) {
        if (frame.getLong(PAYLOAD_BYTES) != sum(frame)) {
            throw new IllegalStateException("a frame with another sum than its own");
        }
    }
}
