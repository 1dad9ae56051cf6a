// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.nio.ByteBuffer;

/**
 * What the two ends of a link show each other to prove that they own the connection that the link is for. A fabric whose listeners are
 * open to every user of a host has it. Only the owner of an end of the connection can send bytes over the connection, and receive them.
 * So either end, once, sends a {@linkplain #record() record} over the connection. It begins with a value that only somebody who has the
 * link can compute, so its receiver knows that the link's peer sends over the connection. It ends with a secret, which the receiver
 * returns over the link. So its sender knows that the link's peer receives over the connection. One record proves both ends to each other.
 *
 * <p>A program without Accel would take a record for its bytes. So an end sends one only to a peer that has {@linkplain #mayLead() shown}
 * that it knows the bytes that the connection has carried, and first says over the link at which byte the record will stand. No
 * byte of the program goes over a link, and none that comes over it is shown, before {@link #isProved()}.
 *
 * <p>Any thread. All methods may also be called when the link is freed: then nothing is told any more, and {@link #peersPlace()} knows
 * what the peer had said.
 */
public interface Ownership {
    /** The answer while the peer has not said where its record stands. */
    long NOWHERE = -1;

    /** Whether the peer is known to own the other end of the connection. Once true, this stays true. */
    boolean isProved();

    /** Whether the peer has shown that it knows what the connection has carried, so that this end may send its record first. */
    boolean mayLead();

    /** This end's record, {@link OwnershipSecrets#RECORD} bytes, to be sent once. */
    ByteBuffer record();

    /**
     * Tells the peer where this end's record will stand, if it is sent at all. Replaces the place told before.
     *
     * @param at how many of the program's bytes this end sends over the connection before the record
     */
    void place(long at);

    /** Whether the peer can see the place told last. */
    boolean isPlaced();

    /** How many of the program's bytes stand before the peer's record, if there is one; {@link #NOWHERE}. */
    long peersPlace();

    /**
     * Whether bytes can be the peer's record, or begin it.
     *
     * @param bytes the bytes, from the buffer's position on
     */
    boolean mayBePeers(ByteBuffer bytes);

    /**
     * The peer's record has come over the connection: the peer is proved, and gets the record's secret back.
     *
     * @param record the record, which {@linkplain #mayBePeers may be the peer's}
     */
    void found(ByteBuffer record);
}
