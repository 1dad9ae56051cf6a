// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.nio.ByteBuffer;

/**
 * The bytes that go one way through a connection, as the program knows them. Each byte is told by its place, so that one that is
 * lost, doubled or out of order shows. One thread at a time.
 */
final class Direction {
    private final int salt;
    private long sent;
    private long received;
    private boolean shut;
    private boolean unknown;
    private boolean overfull;
    /** Whether it is not known what becomes of any write but the next. */
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

    /** Fills what a buffer has left with what comes so many bytes after what was sent. */
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

    /** Bytes were received, which a buffer holds up to its position; what is to be said of them. */
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

    /** How many more bytes may be sent of so many, so that no path is full. */
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
     * More was written than the path holds. Where the kernel's buffers are full, the end that follows has not come to the reader when a reset
     * does, which then ends what it reads; a link has both: docs/LIMITS.md has it.
     */
    void overfill() {
        overfull = true;
        unknown = true;
    }

    /** Whether it is not known by what reading ends. */
    boolean isOverfull() {
        return overfull;
    }

    /**
     * The receiving end was closed while it was registered. The kernel takes what comes for the JDK's until its selector selects next, and
     * refuses the second write to one that had a link. After that selection it refuses the first to the JDK's as well if bytes were unread:
     * docs/LIMITS.md has both.
     */
    void closedRegistered() {
        onlyOneKnown = true;
        unknown |= inFlight() > 0;
    }

    /** Whether it is known of the next write alone what becomes of it. */
    boolean isKnownOnce() {
        return onlyOneKnown;
    }

    boolean isUnknown() {
        return unknown;
    }
}
