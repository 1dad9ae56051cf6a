// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.core.fabric.Beginnings;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** The bytes that a connection has carried, as a test sets them. */
final class Said implements Beginnings {
    static final Said NOTHING = new Said("", "");

    private final byte[] out;
    private final byte[] in;

    Said(byte[] out, byte[] in) {
        this.out = out;
        this.in = in;
    }

    Said(String out, String in) {
        this(out.getBytes(StandardCharsets.US_ASCII), in.getBytes(StandardCharsets.US_ASCII));
    }

    /** As the other end has it. */
    Said mirrored() {
        return new Said(in, out);
    }

    @Override
    public int sent() {
        return Math.min(out.length, LIMIT);
    }

    @Override
    public int received() {
        return Math.min(in.length, LIMIT);
    }

    @Override
    public int sumOfSent(int length) {
        return sum(out, length);
    }

    @Override
    public int sumOfReceived(int length) {
        return sum(in, length);
    }

    private static int sum(byte[] bytes, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, length);
        return (int) sum.getValue();
    }
}
