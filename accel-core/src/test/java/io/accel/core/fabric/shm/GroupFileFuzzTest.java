// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The header of a publication's file: one for the group that was asked for, or anything else, which is refused. */
class GroupFileFuzzTest {
    private static final int RING = 1 << 16;
    private static final MappedByteBuffer FILE = file();

    private static MappedByteBuffer file() {
        try {
            Path path = Files.createTempFile("accel-group", null);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return file.map(FileChannel.MapMode.READ_WRITE, 0, GroupLayout.fileSize(RING));
            } finally {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @FuzzTest
    void header(byte[] bytes) throws IOException {
        InetSocketAddress group = new InetSocketAddress(InetAddress.getByName("239.1.2.3"), 4_000);
        FILE.put(0, new byte[GroupLayout.INTENDED]);
        FILE.put(0, bytes, 0, Math.min(bytes.length, GroupLayout.INTENDED));
        ShmSubscription subscription;
        try {
            subscription = new ShmSubscription("fuzzed", FILE, null, group);
        } catch (FallbackException e) {
            assertThat(e.reason()).isEqualTo(FallbackReason.BAD_HANDSHAKE);
            return;
        }
        GroupFlow flow = subscription.flow();
        assertThat(flow.group()).isEqualTo(group);
        assertThat(flow.source().getPort()).isBetween(1, 65_535);
        assertThat(subscription.receiveRing().size()).isEqualTo(RING);
    }
}
