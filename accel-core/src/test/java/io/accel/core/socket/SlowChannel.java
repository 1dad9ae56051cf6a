// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.testing.OverChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A channel in non-blocking mode over another, whose writes take as long as a test wants. */
final class SlowChannel extends OverChannel {
    private final Runnable whileWriting;

    SlowChannel(SocketChannel socket, Runnable whileWriting) throws IOException {
        super(socket);
        this.whileWriting = whileWriting;
        configureBlocking(false);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        whileWriting.run();
        return super.write(src);
    }
}
