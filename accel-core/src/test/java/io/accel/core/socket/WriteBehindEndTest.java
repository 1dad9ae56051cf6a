// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Bytes that another thread's close has overtaken are not accepted, and stay the program's. */
class WriteBehindEndTest {
    @Test
    void leavesAllPositionsWhereTheyWere() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            Lab.Pair pair = lab.connect();
            LinkWriter writer = pair.client().attached().writer();
            ByteBuffer one = ByteBuffer.allocate(9).position(2);
            ByteBuffer[] many = {ByteBuffer.allocate(1), ByteBuffer.allocate(5).position(1), ByteBuffer.allocate(7)};
            writer.lock();
            try {
                assertThat(writer.write(many, 0, 1)).isEqualTo(1);
                writer.endsHere();
                assertThatThrownBy(() -> writer.write(one)).isExactlyInstanceOf(AsynchronousCloseException.class);
                assertThatThrownBy(() -> writer.write(many, 0, 3))
                        .isExactlyInstanceOf(AsynchronousCloseException.class);
            } finally {
                writer.unlock();
            }
            assertThat(one.position()).isEqualTo(2);
            assertThat(many).extracting(ByteBuffer::position).containsExactly(1, 1, 0);
            pair.close();
        }
    }
}
