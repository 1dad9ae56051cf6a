// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/**
 * The state of a connection at one moment.
 *
 * @param id a number that no other connection of the process has
 * @param role {@code client}, {@code server}, or {@code datagram} for a path between two datagram sockets, or {@code multicast} for a path to or from
 *     a multicast group
 * @param path {@code shm}, {@code rdma} or {@code kernel}
 * @param reason why the path is the kernel's, as {@code FallbackReason} names it; empty if it is not
 * @param detail the circumstances of the reason; empty if none
 * @param state its state, as {@link ConnectionState#text()} names it
 * @param local this end's address, {@code host:port}; empty if there is none yet
 * @param remote the other end's address
 * @param openedMillis when it was opened, in milliseconds since 1970; a sample may differ from another by one
 * @param queuedIn bytes that have come and were not read
 * @param queuedOut bytes that were written without the peer having given their room back; it does so a quarter of the
 * ring at a time, so that up to a quarter means nothing
 * @param stalledNanos how long the sender has had no room, 0 if it has some
 * @param figures its counts; all 0 on the kernel's path, whose bytes only the kernel sees
 */
public record ConnectionSample(
        long id,
        String role,
        String path,
        String reason,
        String detail,
        String state,
        String local,
        String remote,
        long openedMillis,
        long queuedIn,
        long queuedOut,
        long stalledNanos,
        Figures figures) {

    /** Returns the same sample with other figures. */
    ConnectionSample with(Figures other) {
        return new ConnectionSample(
                id,
                role,
                path,
                reason,
                detail,
                state,
                local,
                remote,
                openedMillis,
                queuedIn,
                queuedOut,
                stalledNanos,
                other);
    }
}
