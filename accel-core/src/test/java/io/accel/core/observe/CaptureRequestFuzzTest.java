// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The request of {@code accel capture}, or of somebody else at its socket, to a process. */
class CaptureRequestFuzzTest {
    @FuzzTest
    void request(byte[] bytes) {
        if (bytes.length < CaptureRequest.HEAD) {
            return;
        }
        ByteBuffer head = ByteBuffer.wrap(bytes, 0, CaptureRequest.HEAD).slice();
        CaptureRequest request;
        try {
            int rest = CaptureRequest.rest(head);
            assertThat(rest).isBetween(0, CaptureRequest.MOST_PORTS * Integer.BYTES);
            if (bytes.length < CaptureRequest.HEAD + rest) {
                return; // the rest is waited for
            }
            request = CaptureRequest.decode(
                    head, ByteBuffer.wrap(bytes, CaptureRequest.HEAD, rest).slice());
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("a request for a capture");
            return;
        }
        assertThat(request.packets()).isNotNegative();
        assertThat(request.seconds()).isNotNegative();
        assertThat(request.ports()).allMatch(port -> port >= 1 && port <= 65_535);
    }
}
