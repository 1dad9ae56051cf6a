package io.accel.core.observe;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The file in which a process leaves its latest sample, mapped by it and by who looks: a magic number, a sequence that is odd
 * while the sample changes, the sample's length, and from byte {@value #PAYLOAD} on the sample. One thread at a time.
 */
final class StatsFile implements AutoCloseable {
    private static final long MAGIC = 0x4143_4345_4c53_5431L;
    private static final int SEQUENCE = 8;
    private static final int LENGTH = 16;
    private static final int PAYLOAD = 64;
    private static final int LEAST = 64 << 10;
    private static final int MOST = 64 << 20;
    private static final int TRIES = 1_000;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    private final Path path;
    private MappedByteBuffer map;

    /** The file of a process that begins to be looked at, or of one to look at. Touches nothing yet. */
    StatsFile(Path path) {
        this.path = path;
    }

    // ---- the process's side

    /** Leaves a sample, which makes or enlarges the file if needed. */
    void write(byte[] sample) throws IOException {
        if (map == null || map.capacity() - PAYLOAD < sample.length) {
            allocate(sample.length);
        }
        long sequence = (long) LONG.getOpaque((ByteBuffer) map, SEQUENCE);
        LONG.setOpaque((ByteBuffer) map, SEQUENCE, sequence | 1);
        VarHandle.storeStoreFence();
        map.put(PAYLOAD, sample);
        map.putInt(LENGTH, sample.length);
        LONG.setRelease((ByteBuffer) map, SEQUENCE, (sequence | 1) + 1);
    }

    /** All of it is allocated, so that a full file system is an exception here and not an error at the store. */
    private void allocate(int length) throws IOException {
        int size = LEAST;
        while (size - PAYLOAD < length) {
            size *= 2;
        }
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        var options = Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        try (FileChannel channel = FileChannel.open(path, options, mode)) {
            ByteBuffer zeros = ByteBuffer.allocate(64 << 10);
            for (long at = channel.size(); at < size; ) {
                at += channel.write(zeros.clear().limit((int) Math.min(zeros.capacity(), size - at)), at);
            }
            MappedByteBuffer larger = channel.map(MapMode.READ_WRITE, 0, size);
            larger.order(ByteOrder.nativeOrder());
            unmap();
            map = larger;
            LONG.setRelease((ByteBuffer) map, 0, MAGIC);
        }
    }

    /** Nobody looks any more: gives everything back. */
    void delete() throws IOException {
        unmap();
        Files.deleteIfExists(path);
    }

    // ---- the side of who looks

    /** The latest sample. */
    byte[] read() throws IOException {
        try (FileChannel channel = FileChannel.open(path, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            long size = channel.size();
            if (size < LEAST || size > MOST) {
                throw new IOException(path + " has " + size + " bytes");
            }
            if (map == null || map.capacity() != size) {
                unmap();
                map = channel.map(MapMode.READ_ONLY, 0, size);
                map.order(ByteOrder.nativeOrder());
            }
        }
        if ((long) LONG.getAcquire((ByteBuffer) map, 0) != MAGIC) {
            throw new IOException(path + " holds no samples");
        }
        for (int i = 0; i < TRIES; i++) {
            long before = (long) LONG.getAcquire((ByteBuffer) map, SEQUENCE);
            int length = map.getInt(LENGTH);
            if ((before & 1) == 0 && length > 0 && length <= map.capacity() - PAYLOAD) {
                byte[] sample = new byte[length];
                map.get(PAYLOAD, sample);
                VarHandle.loadLoadFence();
                if ((long) LONG.getOpaque((ByteBuffer) map, SEQUENCE) == before) {
                    return sample;
                }
            }
            Thread.onSpinWait();
        }
        throw new IOException("the sample in " + path + " changes faster than it can be read, or is damaged");
    }

    @Override
    public void close() {
        unmap();
    }

    private void unmap() {
        if (map != null) {
            JdkAccess.unmap(map);
            map = null;
        }
    }
}
