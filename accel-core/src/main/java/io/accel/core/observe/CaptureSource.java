package io.accel.core.observe;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where captures come from. Thread-safe. */
@FunctionalInterface
public interface CaptureSource {
    /** Takes the file, part by part. */
    interface Sink {
        /**
         * Takes a part of whole blocks; nothing at all from time to time, which finds out whether somebody is there.
         *
         * @param part the bytes, from the position to the limit
         * @throws IOException if nobody is
         */
        void take(ByteBuffer part) throws IOException;

        /** Whether more is wanted than has been captured until now. */
        boolean isWanted();
    }

    /**
     * How a capture ended.
     *
     * @param kept packets in the file
     * @param dropped packets that are not in it because there was no room until they could be written
     */
    record Totals(long kept, long dropped) {}

    /**
     * Captures until the sink wants no more, or a limit is reached.
     *
     * @param request what, and the limits
     * @param user who wants it
     * @param sink where the file goes
     * @return null if another capture is under way
     * @throws IOException if nobody takes the file
     */
    Totals capture(CaptureRequest request, String user, Sink sink) throws IOException;
}
