// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.core.jdk.JdkBuffers;
import java.nio.ByteBuffer;

/**
 * Looks whether a program's buffers can be used, before anything is committed that was copied from or to one of them; see {@link
 * MemoryRegion#takeFrom}. Any thread.
 */
public final class ProgramBuffers {
    private ProgramBuffers() {}

    /** As {@link JdkBuffers#check(ByteBuffer)}. */
    public static void check(ByteBuffer buffer) {
        JdkBuffers.check(buffer);
    }

    /** As {@link JdkBuffers#check(ByteBuffer[], int, int)}. */
    public static void check(ByteBuffer[] buffers, int offset, int length) {
        JdkBuffers.check(buffers, offset, length);
    }

    /** As {@link JdkBuffers#checkTargets}. */
    public static void checkTargets(ByteBuffer[] buffers, int offset, int length) {
        JdkBuffers.checkTargets(buffers, offset, length);
    }
}
