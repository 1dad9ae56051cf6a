// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** Mappings of files that were truncated since, so that a use of their last pages is a fault. */
public final class TruncatedFile {
    private TruncatedFile() {}

    /**
     * Maps a new file, which is gone when this returns.
     *
     * @param size the size of the mapping, filled with the byte {@code M}
     * @param left how many bytes of the file are left, and with them the rest of their last page
     */
    public static MappedByteBuffer mapped(int size, int left) throws IOException {
        Path file = Files.createTempFile("truncated", ".bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            byte[] content = new byte[size];
            Arrays.fill(content, (byte) 'M');
            Files.write(file, content);
            MappedByteBuffer buffer = channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
            channel.truncate(left);
            return buffer;
        } finally {
            Files.delete(file);
        }
    }
}
