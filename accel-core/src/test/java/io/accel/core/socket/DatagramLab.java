// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import io.accel.testing.DirectoryContent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Datagram sockets on the loopback with a shared directory of their own, all in this process or in several. */
final class DatagramLab implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration UNDER_WAY = Duration.ofMillis(500);

    final Path dir;
    final Accelerator accelerator;
    private final boolean owner;
    private final List<End> open = new ArrayList<>();

    DatagramLab(String preset, Map<String, String> settings) throws IOException {
        this(preset, settings, null);
    }

    /** In the directory of another process's lab, which deletes it. */
    DatagramLab(String preset, Map<String, String> settings, Path shared) throws IOException {
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("/tmp");
        owner = shared == null;
        dir = owner
                ? Files.createTempDirectory(
                        parent,
                        "accel-test-",
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
                : shared;
        Map<String, String> all = new HashMap<>(settings);
        all.putIfAbsent("handover.after", "0"); // links are made at once, unless the test is about that
        all.put("shm.dir", dir.toString());
        accelerator = new Accelerator(Profile.load(preset, all));
    }

    /** A datagram as it was received. */
    record Datagram(InetSocketAddress from, ByteBuffer bytes) {
        long number() {
            return bytes.getLong(0);
        }
    }

    /** A socket with its kernel's channel, used as the channels of an adapter use it. */
    final class End {
        final DatagramChannel kernel;
        final DatagramSocket socket;
        final InetSocketAddress address;
        private final AtomicBoolean closed = new AtomicBoolean();

        End(InetSocketAddress bound) throws IOException {
            kernel = JdkAccess.kernelProvider().openDatagramChannel();
            socket = new DatagramSocket(accelerator, kernel);
            kernel.bind(bound);
            address = (InetSocketAddress) kernel.getLocalAddress();
            socket.bound(address);
        }

        int send(ByteBuffer bytes, InetSocketAddress target) throws IOException {
            socket.lockWrite();
            try {
                return socket.send(bytes, target);
            } finally {
                socket.unlockWrite();
            }
        }

        void send(long number, End target) throws IOException {
            send(ByteBuffer.allocate(Long.BYTES).putLong(0, number), target.address);
        }

        /** Null if there is none now. */
        Datagram tryReceive() throws IOException {
            ByteBuffer dst = ByteBuffer.allocate(66_000);
            socket.lockRead();
            try {
                InetSocketAddress from = socket.receive(dst);
                return from == null ? null : new Datagram(from, dst.flip());
            } finally {
                socket.unlockRead();
            }
        }

        /** Waits as a channel in blocking mode does; null if the socket was closed. */
        Datagram receive() throws IOException {
            Datagram got = receiveWithin(PATIENCE);
            if (got == null && !closed.get()) {
                throw new AssertionError("nothing came to " + address);
            }
            return got;
        }

        /** As {@link #receive}; null also if nothing has come in that time. */
        private Datagram receiveWithin(Duration limit) throws IOException {
            ByteBuffer dst = ByteBuffer.allocate(66_000);
            long end = System.nanoTime() + limit.toNanos();
            socket.lockRead();
            try {
                long left = limit.toNanos();
                while (!closed.get() && left > 0) {
                    InetSocketAddress from = socket.receive(dst);
                    if (from != null) {
                        return new Datagram(from, dst.flip());
                    }
                    socket.awaitReadable(left);
                    left = end - System.nanoTime();
                }
                return null;
            } finally {
                socket.unlockRead();
            }
        }

        boolean isLinkedTo(End peer) {
            return socket.path(peer.address).path().equals("shm");
        }

        void close() throws IOException {
            if (closed.compareAndSet(false, true)) {
                socket.close();
                kernel.close();
            }
        }
    }

    static InetSocketAddress loopback(int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }

    End end() throws IOException {
        return end(0);
    }

    End end(int port) throws IOException {
        return end(loopback(port));
    }

    End end(InetSocketAddress bound) throws IOException {
        End end = new End(bound);
        synchronized (open) {
            open.add(end);
        }
        return end;
    }

    /** Sends numbers less than 0 until either end has the link; all that the other has received then was taken. */
    static void link(End from, End to) throws Exception {
        AtomicLong number = new AtomicLong();
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .atMost(PATIENCE)
                .untilAsserted(() -> {
                    if (!from.isLinkedTo(to) || !to.isLinkedTo(from)) {
                        from.send(number.decrementAndGet(), to);
                        take(number.get(), to);
                    }
                    assertThat(from.isLinkedTo(to) && to.isLinkedTo(from))
                            .as("linked: %s, %s", from.socket.path(to.address), to.socket.path(from.address))
                            .isTrue();
                });
    }

    /** Receives up to a number, which may be under way in the kernel still. One that was sent over a link to a peer that is gone never comes. */
    private static void take(long number, End at) throws IOException {
        Datagram got;
        do {
            got = at.receiveWithin(UNDER_WAY);
        } while (got != null && (got.bytes().remaining() != Long.BYTES || got.number() != number));
    }

    /** What lies in the shared directory. */
    List<Path> content() throws IOException {
        return DirectoryContent.ofListeners(dir);
    }

    /** How many mappings of this lab's files the process has: two ends of a link are two. */
    long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(dir + "/")).count();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (open) {
            for (End end : open) {
                end.close();
            }
        }
        if (owner) {
            DirectoryContent.remove(dir);
        }
    }
}
