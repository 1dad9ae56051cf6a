// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;

/** A datagram that came to the socket for members' reports: a report, or anything else, which is left out. */
class GroupReportFuzzTest {
    @FuzzTest
    void received(byte[] bytes) {
        ByteBuffer datagram = ByteBuffer.wrap(bytes);
        if (GroupReport.isValid(datagram)) {
            assertThat(GroupReport.of(GroupReport.publisher(datagram))).isEqualTo(datagram);
        }
    }
}
