// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

/**
 * A reader's end of a {@link Publication}: a link over which only the peer sends, and which does not wait for its reader. So the
 * reader must ask {@link #intended()} after it has used bytes.
 */
public interface Subscription extends Link {
    /** The datagrams that are published here, as the publisher describes them. */
    GroupFlow flow();

    /** A name that no other publication on this host has. */
    String name();

    /**
     * The end of what the publisher is about to write, or has written. Bytes that were read before this was called, at cursors that lie
     * within the ring's size before it, are what they seem.
     */
    long intended();

    /**
     * Where to begin to read, if the kernel delivers the datagrams, too: it has sent its copies of all before, and of none after.
     *
     * @return the cursor, or -1 if the publisher is sending at this moment
     */
    long settled();

    /** Where the datagram begins that was published last. */
    long latest();

    // ---- a reader sends nothing, and tells its peer nothing

    @Override
    default MemoryRegion sendRing() {
        throw new UnsupportedOperationException("a member sends nothing");
    }

    @Override
    default void publish(long from, long to) {
        throw new UnsupportedOperationException("a member sends nothing");
    }

    @Override
    default void signal(int state) {}

    @Override
    default void forget(int state) {}

    @Override
    default long released() {
        return 0;
    }

    @Override
    default long publishedHere() {
        return 0;
    }

    @Override
    default int peerState() {
        return 0;
    }

    @Override
    default void consumed(long cursor) {}
}
