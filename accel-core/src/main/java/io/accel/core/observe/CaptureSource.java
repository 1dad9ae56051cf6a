// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The source of captures. Thread-safe. */
@FunctionalInterface
public interface CaptureSource {
    /** Takes the file, part by part. */
    interface Sink {
        /**
         * Takes a part of whole blocks; at times an empty part, which finds out whether the receiver is there.
         *
         * @param part the bytes, from the position to the limit
         * @throws IOException if the receiver is gone
         */
        void take(ByteBuffer part) throws IOException;

        /** Whether the sink wants more than has been captured until now. */
        boolean isWanted();
    }

    /**
     * The outcome of a capture.
     *
     * @param kept packets in the file
     * @param dropped packets that are not in it because there was no room until they could be written
     */
    record Totals(long kept, long dropped) {}

    /**
     * Captures until the sink wants no more, or a limit is reached.
     *
     * @param request the packets wanted, and the limits
     * @param user the user who wants the capture
     * @param sink takes the file
     * @return null if another capture is under way
     * @throws IOException if nobody takes the file
     */
    Totals capture(CaptureRequest request, String user, Sink sink) throws IOException;
}
