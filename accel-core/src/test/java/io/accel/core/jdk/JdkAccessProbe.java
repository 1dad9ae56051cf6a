// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.io.FileDescriptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The program that {@link JdkAccessTest} starts in JVMs of its own: each argument is one thing to try. */
final class JdkAccessProbe {
    private JdkAccessProbe() {}

    public static void main(String[] args) throws Exception {
        for (String what : args) {
            switch (what) {
                case "provider" -> provider();
                case "unmap" -> System.out.println("mapped after unmap: " + mappedAfterUnmap());
                case "selectable" -> selectable();
                case "duplicate" -> duplicate();
                default -> throw new IllegalArgumentException(what);
            }
        }
    }

    private static void provider() throws Exception {
        SelectorProvider kernel = JdkAccess.kernelProvider();
        try (Selector selector = kernel.openSelector()) {
            System.out.println("provider " + kernel.getClass().getName() + " open " + selector.isOpen());
        }
    }

    private static void selectable() throws Exception {
        try (Selector selector = JdkAccess.kernelProvider().openSelector();
                SelectableChannel channel = JdkAccess.selectable(FileDescriptor.in)) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            System.out.println("ready " + selector.selectNow());
            System.out.println("ready " + selector.select(10_000));
            ByteBuffer read = ByteBuffer.allocate(8);
            ((ReadableByteChannel) key.channel()).read(read);
            System.out.println("read " + read.get(0));
        }
        System.out.println("closed");
    }

    /** The first descriptor's close ends nothing, although the JDK's socket shuts down its output where {@code SO_LINGER} is not 0. */
    private static void duplicate() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SocketChannel peer = SocketChannel.open(server.getLocalSocketAddress())) {
            SocketChannel second = duplicateOf(server);
            second.setOption(StandardSocketOptions.SO_LINGER, -1);
            second.write(ByteBuffer.wrap(new byte[] {42}));
            try (SocketChannel third = JdkAccess.duplicate(second, (InetSocketAddress) second.getRemoteAddress())) {
                second.close();
                third.write(ByteBuffer.wrap(new byte[] {43}));
            }
            ByteBuffer read = ByteBuffer.allocate(8);
            while (peer.read(read) >= 0) {}
            System.out.println("came " + read.get(0) + " " + read.get(1) + " and the end after " + read.position());
        }
    }

    private static SocketChannel duplicateOf(ServerSocket server) throws Exception {
        try (Socket accepted = server.accept()) {
            accepted.setSoLinger(true, 0);
            InetSocketAddress remote = (InetSocketAddress) accepted.getRemoteSocketAddress();
            SocketChannel second = JdkAccess.duplicate(JdkAccess.implementation(accepted), remote);
            System.out.println("remote " + second.getRemoteAddress().equals(remote));
            return second;
        }
    }

    static boolean mappedAfterUnmap() throws Exception {
        Path file = Files.createTempFile("accel-unmap", ".bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer buffer = channel.map(MapMode.READ_WRITE, 0, 8192);
            buffer.putLong(0, 42);
            if (!isMapped(file)) {
                throw new IllegalStateException(file + " should be mapped by now");
            }
            JdkAccess.unmap(buffer);
            JdkAccess.unmap(buffer);
            return isMapped(file);
        } finally {
            Files.delete(file);
        }
    }

    private static boolean isMapped(Path file) throws Exception {
        return Files.readString(Path.of("/proc/self/maps")).contains(file.toString());
    }
}
