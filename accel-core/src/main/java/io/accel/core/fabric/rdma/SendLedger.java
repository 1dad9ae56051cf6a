// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/**
 * Records which send requests are outstanding, and up to which cursor of the stream they have completed. Requests
 * complete in order, so a completion stands for all requests before it: only some are signaled, at the latest after a
 * number of requests or of bytes. Not thread-safe.
 */
final class SendLedger {
    private final int depth;
    private final int mask;
    private final int signalEvery;
    private final int signalBytes;
    /** The stream's cursor at the time a request was posted, by the request's number. */
    private final long[] cursors;

    private long posted;
    private long completed;
    private int unsignaled;
    private long unsignaledBytes;

    /**
     * Makes the ledger of an empty send queue.
     *
     * @param depth how many requests may be outstanding
     * @param signalEvery after how many requests one is signaled
     * @param signalBytes after how many bytes one is signaled
     */
    SendLedger(int depth, int signalEvery, int signalBytes) {
        int capacity = Integer.highestOneBit(Math.max(1, 2 * depth - 1));
        this.depth = depth;
        this.mask = capacity - 1;
        this.signalEvery = Math.max(1, Math.min(signalEvery, depth / 4));
        this.signalBytes = signalBytes;
        this.cursors = new long[capacity];
    }

    boolean hasRoom(int requests) {
        return posted - completed + requests <= depth;
    }

    /** How many requests are posted and not known to have completed. */
    int outstanding() {
        return (int) (posted - completed);
    }

    /** Whether the next request has to be signaled, if it carries this many bytes. */
    boolean isSignalDue(int bytes) {
        return unsignaled + 1 >= signalEvery || unsignaledBytes + bytes >= signalBytes;
    }

    /** Whether the request with that number is known to have completed. */
    boolean isComplete(long number) {
        return number < completed;
    }

    /** The number of the next request. */
    long next() {
        return posted;
    }

    /** Enters the request with the number {@link #next}. */
    void post(boolean signaled, int bytes, long cursor) {
        cursors[(int) posted & mask] = cursor;
        posted++;
        if (signaled) {
            unsignaled = 0;
            unsignaledBytes = 0;
        } else {
            unsignaled++;
            unsignaledBytes += bytes;
        }
    }

    /**
     * A signaled request has completed, and with it all requests before it.
     *
     * @param number the number that {@link #next} returned
     * @return the cursor up to which the stream has completed
     */
    long complete(long number) {
        if (number < completed || number >= posted) {
            throw new IllegalStateException("request " + number + " completed, of " + completed + " to " + posted);
        }
        completed = number + 1;
        return cursors[(int) number & mask];
    }
}
