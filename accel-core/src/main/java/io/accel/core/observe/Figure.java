// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/** The counts of each accelerated connection. All of them only grow. */
public enum Figure {
    /** Bytes that the program has read. */
    BYTES_IN("bytes.in"),
    /** Bytes that the program has written. */
    BYTES_OUT("bytes.out"),
    /** Those of them that the device took from where they lay, without a copy. */
    BYTES_IN_PLACE("bytes.in-place"),
    /** Reads that brought bytes. */
    MESSAGES_IN("messages.in"),
    /** Writes that took bytes. */
    MESSAGES_OUT("messages.out"),
    /** How many times bytes were made to appear at the peer; fewer than writes where several go as one. */
    PUBLISHES("publishes"),
    /** How many times the sender ran out of room in the peer's ring. */
    STALLS("stalls"),
    /** How many nanoseconds all stalls lasted until there was room again. */
    STALL_NANOS("stall.nanos"),
    /** Looks of blocking reads and writes that waited without sleeping. */
    LOOKS("looks"),
    /** How many of these waits ended without a sleep. */
    HITS("hits"),
    /** Doorbells heard: fewer than the peer rang where several were heard as one, or not before the traffic was found. */
    RINGS_IN("doorbells.in"),
    /** Doorbells rung for the peer, each a system call. */
    RINGS_OUT("doorbells.out"),
    /** Datagrams of a multicast group that were overwritten, or lost by the network, before the program received them. */
    LOST_IN("lost.in");

    private final String text;

    Figure(String text) {
        this.text = text;
    }

    /** The name in samples and in JSON. */
    public String text() {
        return text;
    }
}
