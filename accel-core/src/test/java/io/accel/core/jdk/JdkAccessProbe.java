package io.accel.core.jdk;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
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
