// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import io.accel.core.fabric.Link;

/** The rules by which a kind of connection tells one end that the other has ended it. */
public enum Endings {
    /**
     * As on TCP: the first write after the peer's close is accepted, and the answer to it tells of the close. Nobody is told of a
     * reset behind the end of the peer's bytes.
     */
    TCP(Link.RST | Link.CLOSED | Link.ABANDONED),
    /**
     * As on Unix-domain streams: a peer's close or shutdown is known at once. No write is accepted behind it. A write that has not waited
     * leaves a reset to the reader, which is told of it even behind an end.
     */
    UNIX(Link.RST | Link.CLOSED | Link.DEAF);

    private final int unread;

    Endings(int unread) {
        this.unread = unread;
    }

    /** The states of a peer that reads no more. */
    int unread() {
        return unread;
    }

    /** Whether the peer is told that this end has shut its input. */
    public boolean tellsShutInput() {
        return (unread & Link.DEAF) != 0;
    }

    /** Whether a write is accepted although the peer has closed. */
    boolean acceptsOneMore() {
        return this == TCP;
    }

    /** Whether a reset counts although the peer's end came before. */
    public boolean resetsBehindEnd() {
        return this == UNIX;
    }

    /**
     * Whether the death of the peer's process is a reset, behind the bytes that it sent, if it had bytes unread. With TCP it is an end: there
     * the kernel's reset would throw away what the dead process had sent, and programs take either.
     */
    public boolean tellsDeath() {
        return this == UNIX;
    }

    /** Whether a close can be made a reset, or made to end in order, by the end that closes. */
    public boolean areChosen() {
        return this == TCP;
    }
}
