package io.accel.core.jdk;

import java.io.FileDescriptor;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
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
