// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.InputStream;
import java.nio.ByteBuffer;

/** {@link Pattern} as a stream of a given length. Not safe for use by several threads. */
final class PatternStream extends InputStream {
    private static final int LONGEST = 1 << 20;

    private final long length;
    private long at;

    PatternStream(long length) {
        this.length = length;
    }

    @Override
    public int read() {
        return at == length ? -1 : Pattern.at(at++, 1).get() & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int most) {
        if (at == length) {
            return -1;
        }
        int n = (int) Math.min(Math.min(most, LONGEST), length - at);
        ByteBuffer bytes = Pattern.at(at, n);
        bytes.get(into, offset, n);
        at += n;
        return n;
    }
}
