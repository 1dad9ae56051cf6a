// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connections of this run take the path that the run is about, as the system shows it, not the provider. */
@Tag("stream")
class PathTest extends ContractSupport {
    private static final int PACKETS = 100;
    private static final int LARGEST_PACKET = 4096;
    // The kernel counts anew when its last count is old enough.

    @Test
    void connectionOverRdmaIsTheDevices() throws Exception {
        assumeTrue(Path.current() == Path.RDMA, "this run is not about RDMA");
        Pair pair = pair();
        long before = packetsSent();
        byte[] bytes = Bytes.random(1, LARGEST_PACKET);
        for (int i = 0; i < PACKETS; i++) {
            Bytes.write(
                    pair.client(), bytes); // all of a large piece might find the ring full, and go through the kernel
            Bytes.assertSame(Bytes.read(pair.server(), LARGEST_PACKET), bytes);
        }
        long least = before + PACKETS;
        eventually()
                .untilAsserted(() ->
                        assertThat(packetsSent()).as("packets of RDMA devices").isGreaterThan(least));
    }

    @Test
    void connectionOverSharedMemoryIsMapped() throws IOException {
        assumeTrue(Path.current() == Path.SHM, "this run is not about shared memory");
        Set<String> before = MappedRings.names();
        Pair pair = pair();
        assertThat(pair.client().isConnected()).isTrue();
        assertThat(MappedRings.pathOfNew(before)).isEqualTo(Path.SHM);
    }

    private static long packetsSent() throws IOException {
        long sent = 0;
        try (Stream<java.nio.file.Path> files = Files.walk(java.nio.file.Path.of("/sys/class/infiniband"), 1)) {
            for (java.nio.file.Path device : files.skip(1).toList()) {
                java.nio.file.Path counter = device.resolve("ports/1/hw_counters/sent_pkts");
                sent += Long.parseLong(
                        Files.readString(counter, StandardCharsets.US_ASCII).trim());
            }
        }
        return sent;
    }
}
