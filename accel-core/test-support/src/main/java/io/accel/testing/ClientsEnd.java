// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Whether a client of the kernel's hears that its connection is over. Any thread. */
public final class ClientsEnd {
    private ClientsEnd() {}

    /**
     * Waits in a read for the end, or a reset.
     *
     * @param client a blocking channel that nothing is sent to
     * @return false if a byte came
     */
    public static boolean isMet(SocketChannel client) {
        try {
            return client.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true;
        }
    }
}
