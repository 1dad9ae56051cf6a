// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

/**
 * The publisher's end of a ring that any number of {@link Subscription}s read. The publisher waits for none of them: whoever is
 * too slow finds its place overwritten.
 *
 * <p>A publisher says with {@link #intend} how far it is about to write, writes, and {@link #publish}es. One thread at a time
 * calls these two, and {@link #free}; the others are for any thread.
 */
public interface Publication {
    /** The ring. */
    MemoryRegion ring();

    /**
     * Says, before a byte is written, that everything more than a ring's size before a cursor is about to be overwritten.
     *
     * @param to the end of the bytes to be written
     */
    void intend(long to);

    /**
     * Makes the bytes up to a cursor visible to all, and rings for the subscriptions that sleep, and only for those.
     *
     * @param from where the last datagram begins
     * @param to its end
     */
    void publish(long from, long to);

    /**
     * Says that the kernel's copy of the last datagram was sent, or will not be. Between {@link #intend} and this nobody begins to
     * read, since it could not tell whether it has had that copy. For publications that the kernel delivers, too.
     */
    void settle();

    /** How many subscriptions there are. */
    int members();

    /** How many times a sleeping subscription was woken by a system call. Also after {@link #free()}. */
    long rings();

    /** Gives back the memory, and tells the subscriptions that nothing follows; what was published can still be read. Once. */
    void free();
}
