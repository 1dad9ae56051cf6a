// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The answer of another process to a request for a capture: the file in parts, each with its length before it, and
 * the outcome of the capture. That process may send anything. One thread.
 */
final class CaptureAnswer {
    /** The longest part allowed, far more than a capturing process sends at a time. */
    static final int LONGEST_PART = 1 << 20;
    /** The first bytes of the file. No sample of a process that knows no captures begins with them. */
    static final int SECTION = 0x0A0D0D0A;

    /** The source of the answer. */
    @FunctionalInterface
    interface Incoming {
        /**
         * Waits for a number of bytes.
         *
         * @param length how many, at most {@link #LONGEST_PART}
         * @return exactly that many bytes
         * @throws IOException if they do not come
         */
        ByteBuffer take(int length) throws IOException;
    }

    private final Incoming incoming;
    private boolean begun;
    private CaptureSource.Totals totals;

    CaptureAnswer(Incoming incoming) {
        this.incoming = incoming;
    }

    /**
     * Waits for the next part of the file.
     *
     * @return whole blocks, or none for the moment; null at the end
     * @throws IOException if the process does not capture, does not answer any more, or answers with nonsense
     */
    ByteBuffer next() throws IOException {
        int length = incoming.take(Integer.BYTES).getInt();
        if (length == StatsService.NO_CAPTURE && !begun) {
            throw new IOException("another capture of this process is under way");
        }
        if (length == StatsService.END_OF_CAPTURE && begun) {
            ByteBuffer end = incoming.take(2 * Long.BYTES);
            totals = new CaptureSource.Totals(count(end), count(end));
            return null;
        }
        if (length < 0 || length > LONGEST_PART) {
            throw new IOException("the process sends nonsense: a part of " + length + " bytes");
        }
        ByteBuffer part = incoming.take(length);
        if (!begun && (length < Integer.BYTES || part.getInt(0) != SECTION)) {
            throw new IOException("the process runs an older Accel, which knows no captures");
        }
        begun = true;
        return part;
    }

    private static long count(ByteBuffer end) throws IOException {
        long packets = end.getLong();
        if (packets < 0) {
            throw new IOException("the process sends nonsense: " + packets + " packets");
        }
        return packets;
    }

    /** The outcome of the capture; null as long as it has not ended. */
    CaptureSource.Totals totals() {
        return totals;
    }
}
