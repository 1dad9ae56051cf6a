// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import java.nio.ByteBuffer;

/**
 * The fate of a stream whose link breaks. {@link Resumption} decides it and records it here; readers and writers act on what they find. To
 * them it shows as states that the peer might have set on the link: RST if bytes are lost, FIN and CLOSED if the peer has ended.
 *
 * <p>Written by one thread at a time, in {@link Resumption}'s monitor; read by any thread.
 */
final class LinkBreak {
    private enum Course {
        /** The link has not broken, or the fate is not decided. */
        BY_LINK,
        /** The reader goes on through the kernel behind the bytes that have come over the link. Writers may still wait. */
        READER_RETURNS,
        /** The connection goes on through the kernel. */
        RESUMED
    }

    private final LinkStream stream;
    private final Link link;
    private final LinkLease lease;
    private final LinkPeer peer;

    private volatile Course course = Course.BY_LINK;
    /**
     * Whether the connection goes on without the link, because its TCP connection has failed. Set once, by any thread, after {@link
     * Link#ABANDONED} can be seen on the link. It is what threads without a share in the link ask.
     */
    private volatile boolean abandoned;
    /** Whether this end gives the link up: a thread that has just met the failure may be sooner than {@link AnchorWatch}. Guarded by this. */
    private boolean givenUp;
    /** The progress of sending the bytes lost with a broken link again through the kernel; null before that. */
    private volatile Replay replay;

    LinkBreak(LinkStream stream) {
        this.stream = stream;
        this.link = stream.link();
        this.lease = stream.lease();
        this.peer = stream.peer();
    }

    /** Whether the link can break while the connection goes on. A freed link cannot. */
    boolean isPossible() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && link.canBreak();
        }
    }

    /** Whether the link has broken, and the fate of the stream is not decided. */
    boolean isUndecided() {
        if (course != Course.BY_LINK) {
            return false;
        }
        int heard = peer.heard();
        return (heard & Link.BROKEN) != 0 && (heard & (Link.RST | Link.CLOSED | Link.ABANDONED)) == 0;
    }

    /** Decides the fate as if the peer had said these states, and makes all waiting threads look. */
    void decide(int states) {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return;
            }
            link.decide(states);
        }
        stream.refresh();
    }

    /** Sends the reader on through the kernel behind the bytes that have come over the link, at once if none have. */
    void returnReader() {
        course = Course.READER_RETURNS;
        decide(Link.LEFT);
    }

    /**
     * Takes note that the connection goes on through the kernel, perhaps behind bytes that came over the link. After {@link #returnReader}.
     */
    void resumed() {
        course = Course.RESUMED;
    }

    boolean hasResumed() {
        return course == Course.RESUMED;
    }

    /**
     * Gives the link up, because the TCP connection has failed: tells the peer, and sends this end's writers on through the kernel. Readers
     * may still wait for what is under way.
     */
    void giveUp() {
        synchronized (this) {
            if (givenUp) {
                return;
            }
            givenUp = true;
        }
        decide(Link.ABANDONED); // first: what a writer would still publish behind LEFT is nobody's
        // An end that has been told of stays the end: the peer reads it over the link, and TCP tells a reader of no
        // failure behind it.
        peer.say(stream.writer().isFinished() ? Link.ABANDONED : Link.ABANDONED | Link.LEFT);
        abandoned = true;
    }

    /**
     * Whether the peer has said that it publishes no more. A peer that has heard of the abandoned link before its own writers did says {@link
     * Link#RETIRED} alone.
     */
    boolean hasAll() {
        return (peer.listen() & (Link.LEFT | Link.RETIRED | Link.ENDED)) != 0;
    }

    /** Whether nothing more comes over the link, not even the peer's word. */
    boolean isBroken() {
        return (peer.listen() & Link.BROKEN) != 0;
    }

    /**
     * Leaves a link that was {@linkplain #giveUp given up}: readers go on through the kernel behind the bytes that have come. The kernel
     * tells the program what has happened, once, as it does without a link.
     */
    void abandon() {
        if ((peer.heard() & Link.FIN) == 0) {
            decide(Link.LEFT);
        }
    }

    /** Takes note that the link is abandoned, if either end has said so. Returns whether it is. */
    boolean hearAbandoned() {
        if (!abandoned && (peer.heard() & Link.ABANDONED) != 0) {
            abandoned = true;
        }
        return abandoned;
    }

    /** Whether the link is known to be abandoned. Any thread, with or without a share. */
    boolean isAbandoned() {
        return abandoned;
    }

    /** Begins to send the lost bytes again. When all are sent, a writer goes to the kernel. */
    void replay(Replay begun) {
        replay = begun;
    }

    /** The progress of sending again; null if nothing is sent again. */
    Replay replay() {
        return replay;
    }

    /** The number of bytes sent again. */
    long replayed() {
        Replay under = replay;
        return under == null ? 0 : under.count();
    }

    /** Whether the link has broken, and written bytes may have reached neither the peer nor the kernel. */
    boolean isResuming() {
        return isUndecided() || (replay != null && stream.socket().outgoing().link() == stream);
    }

    /**
     * Whether a peer that may read on may lack some of the bytes sent over the link: the link can break before they arrive, or it has
     * broken, and the kernel does not have them all. Called in no half: bytes that a writer is just writing do not count as written yet.
     */
    boolean mayPeerLackAny() {
        try (LinkLease.Share share = lease.take()) {
            return share != null
                    && link.canBreak()
                    && (link.peerState() & (Link.RST | Link.CLOSED | Link.ABANDONED)) == 0
                    && (!stream.writer().isAllSent() || isResuming());
        }
    }

    /** A number that changes whenever the peer's device, or its kernel, is known to have taken more. */
    long delivered() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : link.sent() + replayed();
        }
    }

    /**
     * The record that a close sends to the peer, so that the peer knows whether everything has come if the link breaks after that.
     *
     * @return null if the link cannot break, or the peer would not recognise the record
     */
    ByteBuffer farewell() {
        LinkWriter writer = stream.writer();
        if (!writer.announcement().isMade()) {
            return null;
        }
        try (LinkLease.Share share = lease.take()) {
            return share != null && link.canBreak() ? ResumeRecord.ofClosing(link.nonce(), writer.published()) : null;
        }
    }

    /** The final cursor up to which bytes have come; -1 as long as more may come. */
    long finallyReceived() {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return -1;
            }
            link.takeIn();
            return link.peerGone() ? link.published() : -1;
        }
    }

    /** For tests: breaks the link, if a link of its fabric can break without a loss. */
    void breakNow() {
        try (LinkLease.Share share = lease.take()) {
            if (share != null) {
                link.breakNow();
            }
        }
    }
}
