// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The layout of a connection's shared file.
 *
 * <pre>
 *      0  header: magic, version, ring size, nonce
 *   1024  control block of the direction client to server
 *   2048  control block of the direction server to client
 *   4096  ring of the direction client to server
 *   4096 + ring size  ring of the direction server to client
 * </pre>
 *
 * A control block keeps words that different processes write on different cache lines, 128 bytes apart because processors
 * prefetch lines in pairs:
 *
 * <pre>
 *      0  producer cursor, written by the sender of this direction (release), read by its receiver (acquire)
 *      8  state bits of the sender, two of which the receiver clears; on the line that the receiver looks at anyway
 *    128  consumer cursor, written by the receiver (release), read by the sender (acquire)
 *    136  read cursor, written by the receiver, and read by the sender when the receiver's process is dead
 *    256  sleepers of the <em>receiver's</em> process: armed by it, taken by the sender's process
 * </pre>
 *
 * All words are in native byte order: both processes run on this host.
 */
final class ShmLayout {
    static final long MAGIC = 0x4143_4345_4c53_484dL;
    /** The version of the file and of the handshake together; peers with another version use the kernel. */
    static final int VERSION = 7;

    static final int MAGIC_AT = 0;
    static final int VERSION_AT = 8;
    static final int RING_SIZE_AT = 12;
    static final int NONCE_AT = 16;

    static final int CLIENT_BLOCK = 1024;
    static final int SERVER_BLOCK = 2048;
    static final int RINGS = 4096;

    static final int PRODUCER = 0;
    static final int STATE = 8;
    static final int CONSUMER = 128;
    static final int READ = 136;
    static final int SLEEPERS = 256;

    static final int MIN_RING = 4096;
    static final int MAX_RING = 1 << 28;

    static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();
    static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    private ShmLayout() {}

    /** The size of the file of a connection whose rings have this size. */
    static long fileSize(int ringSize) {
        return RINGS + 2L * ringSize;
    }

    static boolean isRingSize(int size) {
        return size >= MIN_RING && size <= MAX_RING && Integer.bitCount(size) == 1;
    }
}
