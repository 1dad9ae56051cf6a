// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The receiving half of a link that carries datagrams. One receiver at a time; {@link #ready}, the counts and the taps are for any
 * other thread.
 */
public interface DatagramReception {
    /** The result of {@link #next} when there is no datagram, and of a {@link #take(ByteBuffer[], int, int)} in vain. */
    int NONE = -1;

    /**
     * Looks for the next datagram, which stays until it is taken or {@linkplain #skip skipped}.
     *
     * @return its length, or {@link #NONE}
     * @throws CorruptLinkException if the peer wrote nonsense
     */
    int next() throws CorruptLinkException;

    /**
     * Takes the datagram that {@link #next} has found. Bytes that do not fit are lost, as with UDP.
     *
     * @param dst the destination, from its position to its limit; the position advances by the bytes copied
     * @return false if the datagram has just been overwritten by a sender that does not wait, and nothing was taken
     * @throws IOException "Bad address" if the buffer's memory is not there; its position stays, and the datagram is lost, as a kernel
     *     loses it
     * @throws IllegalStateException if the buffer's arena is closed; its position stays, and the datagram does
     * @throws LinkErrorException if the link fails; the buffer's position stays
     */
    boolean take(ByteBuffer dst) throws IOException;

    /**
     * As {@link #take(ByteBuffer)}, into several buffers, one after the other.
     *
     * @param dsts the buffers
     * @param offset the index of the first
     * @param count how many
     * @return the number of bytes that had room, or {@link #NONE} if nothing was taken
     * @throws IOException as {@link #take(ByteBuffer)}
     * @throws IllegalStateException as {@link #take(ByteBuffer)}
     * @throws LinkErrorException as {@link #take(ByteBuffer)}
     */
    long take(ByteBuffer[] dsts, int offset, int count) throws IOException;

    /** Throws away the datagram that {@link #next} has found. */
    void skip();

    /** Whether {@link #next} would find a datagram, or a fault of the peer to report. Any thread. */
    boolean ready();

    /** Whether the receiver has said that it wants no more, and has taken what it wanted. Any thread. */
    default boolean isDone() {
        return false;
    }

    /**
     * Has a tap take each datagram that is taken from now on, whole, even if it was truncated, but not skipped ones.
     * If a take is under way, the tap may take its datagram or miss it.
     *
     * @param newTap the tap
     */
    void tap(DatagramTap newTap);

    /** Removes the tap. As {@link #tap}. */
    void untap();

    /** The number of bytes received, with those that were truncated. Any thread. As all counts, perhaps a moment late. */
    long bytes();

    /** The number of datagrams received. Any thread. */
    long received();

    /** The number of datagrams that were overwritten before they were received. Any thread. */
    default long lost() {
        return 0;
    }

    /** The number of bytes of the ring that wait to be read. A hint for any thread that knows that the link exists. */
    long available();
}
