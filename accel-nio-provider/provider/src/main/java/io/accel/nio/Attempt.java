// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.socket.LinkStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One try at a transfer of one buffer or of several. Implementations capture nothing, so that waiting makes no garbage, and are classes with
 * names, which are loaded when a thread first waits for a link: linking a lambda takes milliseconds while a process starts.
 */
abstract class Attempt {
    abstract long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException;

    /** Reads into one buffer. */
    static final class ReadOne extends Attempt {
        static final Attempt INSTANCE = new ReadOne();

        @Override
        long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException {
            return link.reader().read(one);
        }
    }

    /** Reads into several buffers. */
    static final class ReadMany extends Attempt {
        static final Attempt INSTANCE = new ReadMany();

        @Override
        long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException {
            return link.reader().read(many, offset, length);
        }
    }

    /** Writes one buffer. */
    static final class WriteOne extends Attempt {
        static final Attempt INSTANCE = new WriteOne();

        @Override
        long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException {
            return link.writer().write(one);
        }
    }

    /** Writes several buffers. */
    static final class WriteMany extends Attempt {
        static final Attempt INSTANCE = new WriteMany();

        @Override
        long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException {
            return link.writer().write(many, offset, length);
        }
    }
}
