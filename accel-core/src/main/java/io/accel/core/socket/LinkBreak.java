package io.accel.core.socket;

import io.accel.core.fabric.Link;
import java.nio.ByteBuffer;

/**
 * What becomes of a stream whose link breaks. {@link Resumption} finds that out and says it here; readers and writers go by what they
 * find. The peer's side of it are states of the link: RST where bytes are lost, FIN and CLOSED where the peer has ended.
 *
 * <p>Written by one thread at a time, in {@link Resumption}'s monitor; read by any.
 */
final class LinkBreak {
    private enum Course {
        /** The link has not broken, or nobody has said what follows. */
        BY_LINK,
        /** The reader goes on through the kernel behind what has come over the link. Writers may still wait for that. */
        READER_RETURNS,
        /** The connection goes on through the kernel. */
        RESUMED
    }

    private final LinkStream stream;
    private final Link link;
    private final LinkLease lease;
    private final LinkPeer peer;

    private volatile Course course = Course.BY_LINK;
    /** What is sent again through the kernel of a link that has broken; null before. */
    private volatile Replay replay;

    LinkBreak(LinkStream stream) {
        this.stream = stream;
        this.link = stream.link();
        this.lease = stream.lease();
        this.peer = stream.peer();
    }

    /** Whether the link can break while the connection goes on; not if it is freed. */
    boolean isPossible() {
        try (LinkLease.Share share = lease.take()) {
            return share != null && link.canBreak();
        }
    }

    /** Whether the link has broken, and nobody has said what becomes of the stream. */
    boolean isUndecided() {
        if (course != Course.BY_LINK) {
            return false;
        }
        int heard = peer.heard();
        return (heard & Link.BROKEN) != 0 && (heard & (Link.RST | Link.CLOSED)) == 0;
    }

    /** Decides it as if the peer had said these states, and has all look who wait. */
    void decide(int states) {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return;
            }
            link.decide(states);
        }
        stream.refresh();
    }

    /** The reader goes on through the kernel behind what has come over the link, at once if nothing has. */
    void returnReader() {
        course = Course.READER_RETURNS;
        decide(Link.LEFT);
    }

    /** The connection goes on through the kernel, perhaps after what came over the link. After {@link #returnReader}. */
    void resumed() {
        course = Course.RESUMED;
    }

    boolean hasResumed() {
        return course == Course.RESUMED;
    }

    /** What was lost is sent again from now on. When all is sent a writer goes to the kernel. */
    void replay(Replay begun) {
        replay = begun;
    }

    /** What is sent again; null if nothing is. */
    Replay replay() {
        return replay;
    }

    /** How many bytes were sent again. */
    long replayed() {
        Replay under = replay;
        return under == null ? 0 : under.count();
    }

    /** Whether the link has broken, and what was written may not be with the peer, nor with the kernel. */
    boolean isResuming() {
        return isUndecided() || (replay != null && stream.socket().outgoing().link() == stream);
    }

    /**
     * Whether a peer that may read on may lack something of what went over the link: the link can break before that has come, or has, and
     * the kernel has not all. In no half: what a writer is just writing is not said to be written yet.
     */
    boolean mayPeerLackAny() {
        try (LinkLease.Share share = lease.take()) {
            return share != null
                    && link.canBreak()
                    && (link.peerState() & (Link.RST | Link.CLOSED)) == 0
                    && (!stream.writer().isAllSent() || isResuming());
        }
    }

    /** Changes whenever the peer's device, or its kernel, is known to have taken more. */
    long delivered() {
        try (LinkLease.Share share = lease.take()) {
            return share == null ? 0 : link.sent() + replayed();
        }
    }

    /**
     * What is said to the peer by a close, so that it knows, if the link breaks after that, whether all has come.
     *
     * @return null if the link cannot break, or the peer would not know it for what it is
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

    /** Up to which cursor bytes have come, which is final; -1 as long as more may come. */
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
