// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import io.accel.testing.DirectoryContent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Publishers and members of multicast groups on the loopback interface, with a shared directory of their own, in one process or in several. */
final class GroupLab implements AutoCloseable {
    static final InetAddress GROUP = ip("239.11.22.33");
    private static final int MOST = 2_000;

    final Path dir;
    private final Accelerator accelerator;
    private final boolean owner;
    private final List<End> open = new ArrayList<>();

    /** Settings that come with {@code datagram.multicast}; {@code shared} is another process's directory, or null. */
    GroupLab(String multicast, Map<String, String> settings, Path shared) throws IOException {
        owner = shared == null;
        dir = owner
                ? Files.createTempDirectory(
                        Path.of("/dev/shm"),
                        "accel-test-",
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
                : shared;
        Map<String, String> all = new HashMap<>(settings);
        all.put("shm.dir", dir.toString());
        all.put("datagram.multicast", multicast);
        accelerator = new Accelerator(Profile.load("low-cpu", all));
    }

    static InetAddress ip(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (IOException e) {
            throw new IllegalArgumentException(literal, e);
        }
    }

    static NetworkInterface loopback() throws IOException {
        return NetworkInterface.getByInetAddress(ip("127.0.0.1"));
    }

    /** A socket with its kernel's channel, used as the channels of an adapter use it. */
    final class End {
        final DatagramChannel kernel;
        final DatagramSocket socket;
        private final ByteBuffer dst = ByteBuffer.allocate(MOST);
        private MembershipKey key;

        End(int port) throws IOException {
            kernel = JdkAccess.kernelProvider().openDatagramChannel(StandardProtocolFamily.INET);
            socket = new DatagramSocket(accelerator, kernel);
            kernel.setOption(StandardSocketOptions.SO_REUSEADDR, true)
                    .setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback())
                    .bind(new InetSocketAddress(port));
            socket.bound((InetSocketAddress) kernel.getLocalAddress());
        }

        int port() throws IOException {
            return ((InetSocketAddress) kernel.getLocalAddress()).getPort();
        }

        End join() throws IOException {
            key = kernel.join(GROUP, loopback());
            socket.groups().joined(GROUP, loopback(), null);
            return this;
        }

        void join(InetAddress source) throws IOException {
            Object unused = kernel.join(GROUP, loopback(), source);
            socket.groups().joined(GROUP, loopback(), source);
        }

        void leave() throws IOException {
            key.drop();
            socket.groups().left(GROUP, loopback(), null);
        }

        void block(InetAddress source) throws IOException {
            key.block(source);
            socket.groups().blocked(GROUP, loopback(), source);
        }

        void unblock(InetAddress source) throws IOException {
            key.unblock(source);
            socket.groups().unblocked(GROUP, loopback(), source);
        }

        void send(long number, InetSocketAddress target) throws IOException {
            ByteBuffer src = ByteBuffer.allocate(Long.BYTES).putLong(0, number);
            socket.lockWrite();
            try {
                int unused = socket.send(src, target);
            } finally {
                socket.unlockWrite();
            }
        }

        boolean publishes(InetSocketAddress target) {
            return socket.path(target).path().equals("shm");
        }

        /** The number of the next datagram; null if there is none now. */
        Long tryReceive() throws IOException {
            socket.lockRead();
            try {
                InetSocketAddress from = socket.receive(dst.clear());
                return from == null ? null : Long.valueOf(dst.getLong(0));
            } finally {
                socket.unlockRead();
            }
        }

        /** As {@link #tryReceive}, after a wait of that time at most. */
        Long receive(long nanos) throws IOException {
            long end = System.nanoTime() + nanos;
            socket.lockRead();
            try {
                for (long left = nanos; left > 0; left = end - System.nanoTime()) {
                    if (socket.receive(dst.clear()) != null) {
                        return dst.getLong(0);
                    }
                    socket.awaitReadable(left);
                }
                return null;
            } finally {
                socket.unlockRead();
            }
        }
    }

    End end(int port) throws IOException {
        End end = new End(port);
        open.add(end);
        return end;
    }

    InetSocketAddress group(int port) {
        return new InetSocketAddress(GROUP, port);
    }

    void close(End end) {
        open.remove(end);
        end.socket.close();
    }

    /** How many mappings of this lab's files the process has. */
    long mappings() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(dir + "/")).count();
        }
    }

    @Override
    public void close() throws IOException {
        open.forEach(end -> end.socket.close());
        if (owner) {
            DirectoryContent.remove(dir);
        }
    }
}
