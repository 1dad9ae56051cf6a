// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * The 32-bit word that travels with a write: its kind in the upper three bits, its value in the other 29.
 *
 * <pre>
 *   DATA    length bytes have been written into the ring, after all before them
 *   STATE   the peer has come to new states ({@link io.accel.core.fabric.Link#FIN} and so on), after all data before it
 *   CREDIT  the control cell has news; look there
 * </pre>
 */
final class Immediate {
    static final int DATA = 1;
    static final int STATE = 2;
    static final int CREDIT = 3;

    static final int MAX_VALUE = (1 << 29) - 1;

    private static final int SHIFT = 29;

    private Immediate() {}

    static int of(int op, int value) {
        if (value < 0 || value > MAX_VALUE) {
            throw new IllegalArgumentException(value + " does not fit 29 bits");
        }
        return op << SHIFT | value;
    }

    static int op(int word) {
        return word >>> SHIFT;
    }

    /** The value of a word; it is never negative. */
    static int value(int word) {
        return word & MAX_VALUE;
    }
}
