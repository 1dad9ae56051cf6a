// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A close with bytes unread resets the connection, however much the ends have talked before. */
@Tag("stream")
class UnreadBytesTest extends ContractSupport {
    /**
     * The end that closes has answered, so that its kernel delays its acknowledgements. Without {@code TCP_NODELAY} the kernel holds the
     * bytes back at the other end until then, and a close before that has nothing unread: the JDK's channel ends in order.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 6, 20, 60})
    void resetTheConnectionAfterRoundTrips(int roundTrips) throws IOException {
        Pair pair = pair();
        pair.server().setOption(StandardSocketOptions.TCP_NODELAY, true);
        for (int i = 0; i < roundTrips; i++) {
            Bytes.write(pair.client(), Bytes.ascii("1"));
            Bytes.read(pair.server(), 1);
            Bytes.write(pair.server(), Bytes.ascii("2"));
            Bytes.read(pair.client(), 1);
        }
        Bytes.write(pair.server(), Bytes.ascii("unread"));
        eventually().until(() -> pair.client().socket().getInputStream().available() == "unread".length());
        pair.client().close();
        assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1)))
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage("Connection reset");
        assertThatThrownBy(() -> pair.server().write(ByteBuffer.allocate(1)))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Broken pipe");
        assertThat(pair.server().isOpen()).isTrue();
    }
}
