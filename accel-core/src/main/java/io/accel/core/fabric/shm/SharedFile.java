// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Consumer;

/** Makes and opens a connection's shared file. */
final class SharedFile {
    /** These zeros are written over a new file, so that each of its pages is allocated before it is mapped. */
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 18).asReadOnlyBuffer();

    private SharedFile() {}

    /**
     * Makes a file with both rings, wholly allocated: a page that the file system has no room for is an exception here
     * and not a SIGBUS later.
     */
    static MappedByteBuffer create(Path file, int ringSize, long nonce, String group) throws FallbackException {
        return create(file, ShmLayout.fileSize(ringSize), group, map -> {
            ShmLayout.INT.set((ByteBuffer) map, ShmLayout.VERSION_AT, ShmLayout.VERSION);
            ShmLayout.INT.set((ByteBuffer) map, ShmLayout.RING_SIZE_AT, ringSize);
            ShmLayout.LONG.set((ByteBuffer) map, ShmLayout.NONCE_AT, nonce);
            ShmLayout.LONG.setRelease((ByteBuffer) map, ShmLayout.MAGIC_AT, ShmLayout.MAGIC);
        });
    }

    /** Makes a file of any layout, wholly allocated, and writes its header. */
    static MappedByteBuffer create(Path file, long size, String group, Consumer<MappedByteBuffer> header)
            throws FallbackException {
        try {
            return inSpiteOfInterrupts(() -> make(file, size, group, header));
        } catch (FallbackException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw new FallbackException(FallbackReason.STALE_RENDEZVOUS, file.getParent() + " has just gone");
        } catch (IOException e) {
            throw FileFailure.of(e, file, size);
        }
    }

    private static MappedByteBuffer make(Path file, long size, String group, Consumer<MappedByteBuffer> header)
            throws IOException {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE), mode)) {
            try {
                RendezvousDirectory.share(file, group, RendezvousDirectory.SHARED_FILE);
                for (long at = 0; at < size; ) {
                    ByteBuffer zeros = ZEROS.duplicate().limit((int) Math.min(ZEROS.capacity(), size - at));
                    at += channel.write(zeros, at);
                }
                MappedByteBuffer map = channel.map(MapMode.READ_WRITE, 0, size);
                header.accept(map);
                return map;
            } catch (IOException | RuntimeException | Error e) {
                delete(file);
                throw e;
            }
        }
    }

    /** Maps the whole of a file that another process has made, and checks only that its size is plausible. */
    static MappedByteBuffer map(Path file, long least, long most) throws FallbackException {
        try {
            return inSpiteOfInterrupts(() -> {
                try (FileChannel channel = FileChannel.open(
                        file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
                    long size = channel.size();
                    if (size < least || size > most) {
                        throw new FallbackException(FallbackReason.BAD_HANDSHAKE, file + " has " + size + " bytes");
                    }
                    return channel.map(MapMode.READ_WRITE, 0, size);
                }
            });
        } catch (FallbackException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw new FallbackException(FallbackReason.STALE_RENDEZVOUS, file + " has just gone");
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.NO_RESOURCES, "opening " + file + " failed: " + e);
        }
    }

    /** Opens a client's file, checks it against the hello, and unlinks it. */
    static MappedByteBuffer open(Path file, Hello hello) throws FallbackException {
        try {
            return inSpiteOfInterrupts(() -> openAndCheck(file, hello));
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.isReadable(file)) {
                // The client has done its part. This process can do no more, for example for want of descriptors.
                throw Shortage.of(FallbackReason.NO_RESOURCES, "opening " + file + " failed: " + e);
            }
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "opening " + file + " failed: " + e);
        } finally {
            delete(file);
        }
    }

    private static MappedByteBuffer openAndCheck(Path file, Hello hello) throws IOException {
        MappedByteBuffer map = null;
        try (FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            long size = ShmLayout.fileSize(hello.ringSize());
            if (channel.size() != size) {
                throw new FallbackException(
                        FallbackReason.BAD_HANDSHAKE, file + " has " + channel.size() + " bytes, not " + size);
            }
            map = channel.map(MapMode.READ_WRITE, 0, size);
            if ((long) ShmLayout.LONG.getAcquire((ByteBuffer) map, ShmLayout.MAGIC_AT) != ShmLayout.MAGIC
                    || (int) ShmLayout.INT.get((ByteBuffer) map, ShmLayout.VERSION_AT) != ShmLayout.VERSION
                    || (int) ShmLayout.INT.get((ByteBuffer) map, ShmLayout.RING_SIZE_AT) != hello.ringSize()
                    || (long) ShmLayout.LONG.get((ByteBuffer) map, ShmLayout.NONCE_AT) != hello.nonce()) {
                throw new FallbackException(FallbackReason.BAD_HANDSHAKE, file + " is not the file of its hello");
            }
            return map;
        } catch (IOException | RuntimeException | Error e) {
            if (map != null) {
                JdkAccess.unmap(map);
            }
            throw e;
        }
    }

    private interface Work {
        MappedByteBuffer run() throws IOException;
    }

    /**
     * The JDK closes a file under an interrupted thread. An interrupt is meant for a wait, and nothing here waits:
     * the interrupt is kept for what the thread does next.
     */
    private static MappedByteBuffer inSpiteOfInterrupts(Work work) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                try {
                    return work.run();
                } catch (ClosedByInterruptException e) {
                    // try again
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            Log.of(SharedFile.class)
                    .get()
                    .log(System.Logger.Level.DEBUG, "could not delete " + file + ", the listener's end removes it", e);
        }
    }
}
