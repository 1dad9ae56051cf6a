// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A one-byte array for the streams' single-byte methods, reused so that a program which reads or writes byte by byte
 * makes no garbage. Safe for use by many threads: a thread that finds it taken gets an array of its own.
 */
final class OneByte {

    private final AtomicReference<byte[]> spare = new AtomicReference<>();

    byte[] take() {
        byte[] one = spare.getAndSet(null);
        return one != null ? one : new byte[1];
    }

    void giveBack(byte[] one) {
        spare.lazySet(one);
    }
}
