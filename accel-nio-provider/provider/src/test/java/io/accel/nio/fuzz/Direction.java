// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.nio.ByteBuffer;

/**
 * The bytes that go one way through a connection, as the program knows them. Each byte is recognised by its place, so that a lost,
 * doubled or misplaced byte shows. One thread at a time.
 */
final class Direction {
    private final int salt;
    private long sent;
    private long received;
    private boolean shut;
    private boolean unknown;
    private boolean overfull;
    /** Whether the outcome of any write but the next is unknown. */
    private boolean onlyOneKnown;

    Direction(int salt) {
        this.salt = salt;
    }

    byte at(long position) {
        return (byte) (position * 31 + (position >> 8) * 7 + (position >> 16) * 3 + salt);
    }

    /** The next bytes to send. */
    byte[] next(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = at(sent + i);
        }
        return bytes;
    }

    /** Fills the rest of a buffer with the bytes that come so many bytes after those that were sent. */
    void fill(ByteBuffer buffer, long after) {
        for (long position = sent + after; buffer.hasRemaining(); position++) {
            buffer.put(at(position));
        }
    }

    /** The next bytes to receive. */
    byte[] after(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = at(received + i);
        }
        return bytes;
    }

    void sent(long n) {
        sent += n;
        unknown |= onlyOneKnown;
    }

    /** Returns the words about received bytes, which a buffer holds up to its position. */
    String received(ByteBuffer bytes) {
        String verdict = "ok";
        for (int i = 0; i < bytes.position(); i++) {
            if (bytes.get(i) != at(received + i) && verdict.equals("ok")) {
                verdict = "WRONG from " + (received + i) + " on";
            }
        }
        received += bytes.position();
        return verdict;
    }

    int inFlight() {
        return (int) (sent - received);
    }

    /** How many of so many bytes may still be sent, so that no path is full. */
    int room(int wanted) {
        return Math.max(0, Math.min(wanted, World.ROOM - inFlight()));
    }

    void shut() {
        shut = true;
    }

    boolean isShut() {
        return shut;
    }

    /** Nobody knows any more how much was sent. */
    void lose() {
        unknown = true;
    }

    /**
     * More was written than the path holds. Where the kernel's buffers are full, the following end has not come to the reader when a reset
     * comes, which then ends its reading; a link has both: see docs/LIMITS.md.
     */
    void overfill() {
        overfull = true;
        unknown = true;
    }

    /** Whether the event that ends reading is unknown. */
    boolean isOverfull() {
        return overfull;
    }

    /**
     * The receiving end was closed while it was registered. The kernel takes bytes for the JDK's channel until its selector selects next,
     * and refuses the second write to a channel that had a link. After that selection it also refuses the first write to the
     * JDK's channel if bytes were unread: see docs/LIMITS.md for both.
     */
    void closedRegistered() {
        onlyOneKnown = true;
        unknown |= inFlight() > 0;
    }

    /** Whether only the outcome of the next write is known. */
    boolean isKnownOnce() {
        return onlyOneKnown;
    }

    boolean isUnknown() {
        return unknown;
    }
}
