// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.socket.LinkStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One try at a transfer of one buffer or of several. Implementations capture nothing, so that waiting makes no garbage. */
interface Attempt {
    long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException;
}
