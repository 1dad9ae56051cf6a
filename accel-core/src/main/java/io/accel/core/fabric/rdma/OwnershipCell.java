// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.Ownership;
import io.accel.core.fabric.OwnershipSecrets;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The words in either region's page by which one side tells the other what belongs to its {@link Ownership}: where its record stands, and
 * the secret that it has found in the peer's record. News overwrites them.
 *
 * <pre>
 *   0   how many bytes stand before the record, plus 1; 0 for no place, 8
 *   8   the peer's secret; 0 for none, 16
 *   24  check word of them, 8
 * </pre>
 *
 * The words are little-endian, and are read as those of the {@link ControlCell}. Only under the link's lock.
 */
final class OwnershipCell {
    /** The place in the page. */
    static final int OFFSET = 256;

    static final int SIZE = 32;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final int PLACE = 0;
    private static final int SECRET = 8;
    private static final int CHECK = 24;

    private final ByteBuffer memory;
    private long place;
    private long first;
    private long second;

    /**
     * Makes a cell.
     *
     * @param area the area whose page has it, aligned to 8 bytes
     */
    OwnershipCell(ByteBuffer area) {
        this.memory = area.slice(OFFSET, SIZE);
    }

    /** Says where the record stands. */
    void place(long at) {
        place = at + 1;
        write();
    }

    /** Returns the peer's secret. */
    void secret(byte[] found) {
        ByteBuffer words = ByteBuffer.wrap(found);
        first = words.getLong();
        second = words.getLong();
        write();
    }

    private void write() {
        LONG.setRelease(memory, PLACE, place);
        LONG.setRelease(memory, SECRET, first);
        LONG.setRelease(memory, SECRET + Long.BYTES, second);
        LONG.setRelease(memory, CHECK, check(place, first, second));
    }

    /** Looks at what the peer has written. What has not arrived completely is left to the next look. */
    void read() {
        long check = (long) LONG.getAcquire(memory, CHECK);
        long newPlace = (long) LONG.getAcquire(memory, PLACE);
        long newFirst = (long) LONG.getAcquire(memory, SECRET);
        long newSecond = (long) LONG.getAcquire(memory, SECRET + Long.BYTES);
        if (check != 0 && check == check(newPlace, newFirst, newSecond)) {
            place = newPlace;
            first = newFirst;
            second = newSecond;
        }
    }

    /** How many bytes stand before the record; {@link Ownership#NOWHERE}. */
    long place() {
        return place > 0 ? place - 1 : Ownership.NOWHERE;
    }

    /** Whether a secret was returned. */
    boolean hasSecret() {
        return (first | second) != 0;
    }

    byte[] secret() {
        return ByteBuffer.allocate(OwnershipSecrets.SECRET)
                .putLong(first)
                .putLong(second)
                .array();
    }

    private static long check(long place, long first, long second) {
        long mixed = (place ^ Long.rotateLeft(first, 21) ^ Long.rotateLeft(second, 43) ^ 0x61_63_63_65_6c_32L)
                * 0x9E37_79B9_7F4A_7C15L;
        return mixed ^ (mixed >>> 29);
    }
}
