// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * The layout of a publication's shared file.
 *
 * <pre>
 *      0  header: magic, version, ring size, flags, interface, group's port, source's port, group, source
 *   1024  intended end, published end, beginning of the last datagram, intended end of the last whose copy the kernel was given:
 *         written by the publisher, read by all
 *   2048  sleepers, one bit for each member, in words of 64: set by the member, taken by the publisher
 *   4096  ring
 * </pre>
 *
 * All words are in native byte order. The publisher's cursors share a line, since a member that looks at one looks at another. A
 * publisher whose members are all awake reads the line of the sleepers, which nobody writes then.
 */
final class GroupLayout {
    static final long MAGIC = 0x4143_4345_4c47_5250L;
    static final int VERSION = 1;

    static final int MAGIC_AT = 0;
    static final int VERSION_AT = 8;
    static final int RING_SIZE_AT = 12;
    static final int FLAGS_AT = 16;
    static final int INTERFACE_AT = 20;
    static final int GROUP_PORT_AT = 24;
    static final int SOURCE_PORT_AT = 28;
    static final int GROUP_AT = 32;
    static final int SOURCE_AT = 36;

    /** The flag that the kernel delivers the datagrams, too. */
    static final int KERNEL_TOO = 1;

    static final int INTENDED = 1024;
    static final int PUBLISHED = 1032;
    static final int LATEST = 1040;
    static final int SETTLED = 1048;
    static final int SLEEPERS = 2048;
    static final int RING = 4096;

    /** The most members of a publication. */
    static final int MOST_MEMBERS = 256;

    /** The message by which the publisher tells a member its number: a mark, the version, the number. */
    static final int WELCOME = 8;

    static final int WELCOME_MARK = 0x6d62_7200;

    private GroupLayout() {}

    static long fileSize(int ringSize) {
        return (long) RING + ringSize;
    }

    /** The ring's size, as the header has it, if it agrees with the size of the file; 0 if the file is no publication's. */
    static int ringSize(MappedByteBuffer map) {
        int size = (int) ShmLayout.INT.get((ByteBuffer) map, RING_SIZE_AT);
        boolean valid = (long) ShmLayout.LONG.getAcquire((ByteBuffer) map, MAGIC_AT) == MAGIC
                && (int) ShmLayout.INT.get((ByteBuffer) map, VERSION_AT) == VERSION
                && ShmLayout.isRingSize(size)
                && fileSize(size) == map.capacity();
        return valid ? size : 0;
    }
}
