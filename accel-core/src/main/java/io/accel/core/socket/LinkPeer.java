// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;

/**
 * The states through which the two ends of a link talk to each other beside bytes. States are bits that each end adds. They stay, except
 * the states of a direction that goes back to the kernel, and follows there.
 *
 * <p>Any thread. Each method takes a share of the link for the moment.
 */
final class LinkPeer {
    private final Link link;
    private final LinkLease lease;

    LinkPeer(Link link, LinkLease lease) {
        this.link = link;
        this.lease = lease;
    }

    /** Sets states for the peer, unless the link is freed. */
    void say(int states) {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                link.signal(states);
            }
        }
    }

    /** As {@link Link#awaitArrival}, unless the link is freed. */
    void awaitArrival() {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                link.awaitArrival();
            }
        }
    }

    /** The states that the peer has set, as far as known without looking for more; none if the link is freed. */
    int heard() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : link.peerState();
        }
    }

    /** The states that the peer has set, after taking in everything that has come; {@link Link#CLOSED} if the link is freed. */
    int listen() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return Link.CLOSED;
            }
            link.takeIn();
            return link.peerState();
        }
    }

    /** Whether the peer can receive over the link: it has said so, or sends over the link. */
    boolean isReady() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return false;
            }
            long published = link.published(); // a fabric learns of states when a thread looks
            return (link.peerState() & Link.ATTACHED) != 0 || published != 0;
        }
    }

    /** Whether the peer has closed or reset the connection, or is gone, or the link has broken or was abandoned. */
    boolean hasEnded() {
        int over = Link.RST | Link.CLOSED | Link.BROKEN | Link.ABANDONED;
        try (LinkLease.Share share = lease.take()) {
            return share == null || (link.peerState() & over) != 0 || link.peerGone();
        }
    }

    /** Whether the peer's end is known to be over by its own word, or by its death: its link tells, whatever the kernel knows. */
    boolean hasEndedItself() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return true;
            }
            boolean gone = link.findPeerGone();
            link.takeIn();
            return gone || (link.peerState() & (Link.RST | Link.CLOSED)) != 0;
        }
    }

    /** Whether bytes sent over the link no longer reach the peer. */
    boolean isCutOff() {
        try (LinkLease.Share share = lease.take()) {
            return share == null || (link.peerState() & (Link.RST | Link.BROKEN)) != 0 || link.peerGone();
        }
    }

    /** Whether the peer has reset the link, or bytes are lost because the link has broken. */
    boolean hasReset() {
        return (heard() & Link.RST) != 0;
    }

    /** Whether the peer's process has died with bytes unread that were sent over the link. */
    boolean hasDiedWithBytesUnread() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && link.hasDiedWithBytesUnread();
        }
    }

    /** Whether the peer has said that it reads no more, although it may still write. */
    boolean isDeaf() {
        return (heard() & Link.DEAF) != 0;
    }

    /** Whether the peer has closed the connection, and has not reset it. */
    boolean hasClosedInOrder() {
        return (heard() & (Link.CLOSED | Link.RST)) == Link.CLOSED;
    }

    /** Whether the peer has ended its output over the link. */
    boolean hasFinished() {
        return (heard() & Link.FIN) != 0;
    }

    /** Whether the peer's reader has followed to the kernel's path. Leaves that state as it is; see {@link LinkWriter#isFollowed}. */
    boolean hasFollowed() {
        return (heard() & Link.FOLLOWED) != 0;
    }

    /** Whether the peer wants urgent bytes inline. */
    boolean isUrgentInline() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return false;
            }
            long unused = link.published(); // a fabric learns of states when a thread looks
            return (link.peerState() & Link.URGENT_INLINE) != 0;
        }
    }
}
