// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteOrder;

/** Converts between the machine's byte order and the wire's, either way. */
final class NetworkOrder {
    private static final boolean SAME = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

    private NetworkOrder() {}

    static int swap(int value) {
        return SAME ? value : Integer.reverseBytes(value);
    }

    static short swap(short value) {
        return SAME ? value : Short.reverseBytes(value);
    }
}
