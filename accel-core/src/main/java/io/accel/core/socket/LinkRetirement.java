// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.Shortage;
import io.accel.profile.HandoverAfter.Unrest;
import io.accel.profile.Keys;
import java.lang.ref.WeakReference;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Gives a link back while its connection lives on through the kernel. An idle link is given back so that its memory is free for others:
 * nothing has gone over it for {@code handover.idle}, or for a second while others have no room for theirs. Any link is given back if the
 * program lacks what it has, which is a descriptor and a mapping. A link whose rings are too small, or that has broken, is given back so that the connection may get another. One thread advances it.
 *
 * <ol>
 *   <li>The end that accepted finds the link idle, or hears that it is too small; or an end that lacks room finds it idle. From then on it
 *       does not switch to the link, and says {@link Link#RETIRING}.
 *   <li>The other end sees that, and does and says the same.
 *   <li>Each end takes its own direction back to the kernel, as a writer does that finds the ring full for long, and follows the peer's
 *       direction.
 *   <li>An end whose directions both go through the kernel, and whose peer has followed, says {@link Link#RETIRED}.
 *   <li>An end that has both said and heard that frees the link. The peer needs nothing of it any more.
 * </ol>
 *
 * <p>Traffic in between is not lost and does not wait: it takes the path that its direction has at that moment. If there is enough of it,
 * the end that connected asks for a new link, as it did for the first.
 *
 * <p>The end that connected chooses the size of rings. So it says {@link Link#LARGER} when either end finds the rings too small and it may
 * have larger ones. The other end may have smaller limits, or none; it says {@link Link#LARGER} as a wish.
 */
final class LinkRetirement {
    private static final Warnings ERRORS = new Warnings(Log.of(LinkRetirement.class));
    /** One in this many looks retires a link that may be in use, or breaks it, in tests that do so at random. */
    private static final int RESTLESS_LOOKS = 16;

    /**
     * How long, after each step, the retirement tries to take the next one as soon as it can. Later it advances only now and then: either
     * bytes are unread, or the peer cannot give the link back.
     */
    private static final long HURRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a link is young. Most links that ever turn out to be too small do so in that time. */
    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long a link is idle before it is given back for others. */
    private static final long IDLE_IN_SHORTAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum Step {
        IN_USE,
        /** No writer comes to the link any more; the peer has yet to hear of it. */
        BEGUN,
        /** The peer has yet to do the same. */
        ASKED,
        /** Both ends take their directions off the link. */
        LEAVING,
        OVER
    }

    /** A weak reference, since a program may leave closing its sockets to the collector. */
    private final WeakReference<LinkStream> link;

    private final long youngUntil = System.nanoTime() + YOUNG_NANOS;
    /** Written by the advancing thread; other threads ask only whether the retirement has {@linkplain #hasBegun begun}. */
    private volatile Step step = Step.IN_USE;
    /** Whether the peer was told that neither direction uses the link any more, or is being told. Set once, by the advancing thread. */
    private volatile boolean saidRetired;
    /** Whether the peer was told that larger rings are wanted. Used by the advancing thread alone. */
    private boolean saidLarger;

    /** Whether the link is wanted back, in use or not. Used by the advancing thread alone. */
    private boolean demanded;
    /** Whether that is because it is slower than the kernel. Used by the advancing thread alone. */
    private boolean slower;

    private long lastActivity = -1;
    private long quietSince;
    /** The time at which the hurry ends, if {@link #hurrying}. */
    private long hurryUntil;

    private boolean hurrying;

    LinkRetirement(LinkStream stream) {
        this.link = new WeakReference<>(stream);
    }

    /**
     * Whether this direction no longer comes to the link. A writer that was just {@linkplain Outgoing#isSwitching() switching} may still do
     * so. Any thread.
     */
    boolean hasBegun() {
        return step != Step.IN_USE;
    }

    /** Whether the peer has been told, or is being told, that this end uses the link no more. Any thread. */
    boolean hasSaidRetired() {
        return saidRetired;
    }

    /** Whether the retirement takes its next step as soon as it can, and not only now and then. */
    boolean isInHurry(long now) {
        return step == Step.BEGUN || (hurrying && now - hurryUntil < 0);
    }

    /** Whether the link is so new that the peer may soon want another. */
    boolean isYoung(long now) {
        return now - youngUntil < 0;
    }

    /** Whether it is wanted back, or on its way. By the advancing thread. */
    boolean isDemanded() {
        return demanded || hasBegun();
    }

    /** Wants the link back, in use or not. By the advancing thread. */
    void demand(long now) {
        demanded = true;
        hurry(now);
    }

    /** Wants the link back because it is slower than the kernel. By the advancing thread. */
    void demandAsSlower(long now) {
        slower = true;
        demand(now);
    }

    /** How long nothing has gone over the link, as far as looks from time to time can tell. By the advancing thread. */
    long quietFor(long now) {
        LinkStream stream = link.get();
        return stream == null || stream.isClosed() || stream.carried() != lastActivity ? 0 : now - quietSince;
    }

    /** Takes the next steps as soon as it can for a while. By the advancing thread. */
    void hurry(long now) {
        hurrying = true;
        hurryUntil = now + HURRY_NANOS;
    }

    /** The link; null if the collector has it. */
    LinkStream stream() {
        return link.get();
    }

    /**
     * Advances as far as it can without waiting.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return whether to call again
     */
    boolean advance(long now) {
        LinkStream stream = link.get();
        if (stream == null || stream.isClosed()) {
            return false;
        }
        int said = stream.peer().listen();
        if (stream.broken().hearAbandoned()) {
            stream.socket().handover().abandoned();
            beginToLeave(now);
            leaveAbandoned(stream, said);
        } else if (stream.broken().hasResumed()) {
            beginToLeave(now);
            leaveBroken(stream);
        } else if (saidRetired && (said & (Link.RETIRED | Link.BROKEN)) != 0) {
            // A peer that has gone from the link since has said so, too, or has lost it.
            finish(stream, reason(stream, said));
        } else if ((said & Link.ENDED) != 0) {
            return false; // the link is freed when the program closes
        } else if ((said & Link.BROKEN) == 0) {
            retire(stream, said, now);
        }
        return step != Step.OVER;
    }

    private FallbackReason reason(LinkStream stream, int said) {
        if (slower) {
            return FallbackReason.NOT_FASTER;
        }
        return isForLarger(stream, said) ? FallbackReason.GROWING : FallbackReason.IDLE;
    }

    private void retire(LinkStream stream, int said, long now) {
        StreamSocket socket = stream.socket();
        boolean asked = (said & Link.RETIRING) != 0;
        if (socket.unrest() == Unrest.BREAKS && isUsedBothWays(stream) && isTaken(stream)) {
            stream.broken().breakNow();
        }
        if (step == Step.IN_USE && socket.handover().mayGiveBack()) {
            boolean larger = askForLarger(stream, said, now);
            boolean idle = isIdle(stream, now);
            if (idle
                    || demanded
                    || (asked && !stream.reader().hasUnread())
                    || (larger && (asked || socket.handover().isAccepted()))) {
                step = Step.BEGUN;
            }
        }
        if (step == Step.BEGUN && !socket.outgoing().isSwitching()) {
            stream.peer().say(Link.RETIRING);
            step = Step.ASKED;
            hurrying &= demanded || asked || isForLarger(stream, said); // an idle link has time, and so has its peer
        }
        if (step == Step.ASKED && asked) {
            beginToLeave(now);
        }
        if (step == Step.LEAVING && !saidRetired && leave(stream)) {
            saidRetired = true;
            stream.peer().say(Link.RETIRED);
        }
    }

    private void beginToLeave(long now) {
        if (step != Step.LEAVING) {
            step = Step.LEAVING;
            hurry(now);
        }
    }

    /** Says that larger rings are wanted, if they are and can be had. Returns whether both ends have said so. */
    private boolean askForLarger(LinkStream stream, int said, long now) {
        boolean heard = (said & Link.LARGER) != 0;
        if (!saidLarger
                && (heard || stream.writer().wayBack().isCramped())
                && stream.socket().handover().rings().mayBeLargerThan(stream.ringSize())) {
            saidLarger = true;
            stream.peer().say(Link.LARGER);
            hurry(now);
        }
        return isForLarger(stream, said);
    }

    /** Whether the end that chooses the size has said that it wants another size. */
    private boolean isForLarger(LinkStream stream, int said) {
        return stream.socket().handover().isAccepted() ? (said & Link.LARGER) != 0 : saidLarger;
    }

    /** For tests: picks at random a link over which bytes have gone. */
    private static boolean isTaken(LinkStream stream) {
        return stream.carried() != 0 && ThreadLocalRandom.current().nextInt(RESTLESS_LOOKS) == 0;
    }

    /** Whether either end may speak first when the link breaks, so that no byte is lost with it. */
    private static boolean isUsedBothWays(LinkStream stream) {
        StreamSocket socket = stream.socket();
        return socket.incoming().link() == stream
                && socket.outgoing().link() == stream
                && stream.writer().announcement().isMade();
    }

    private boolean isIdle(LinkStream stream, long now) {
        StreamSocket socket = stream.socket();
        if (socket.unrest() == Unrest.RETURNS) {
            return isTaken(stream);
        }
        long found = stream.carried();
        if (found != lastActivity || stream.reader().hasUnread()) {
            lastActivity = found;
            quietSince = now;
            return false;
        }
        return now - quietSince >= patience(socket, now);
    }

    /**
     * How long the link must be quiet. Without a shortage the end that accepted decides, since only it knows whether there can be another
     * link.
     */
    private static long patience(StreamSocket socket, long now) {
        if (Shortage.isOn(now)) {
            return Math.min(IDLE_IN_SHORTAGE_NANOS, socket.idleNanos());
        }
        return socket.handover().isAccepted() ? socket.idleNanos() : Keys.FOREVER;
    }

    /** Takes both directions off the link. Returns whether neither goes over it any more. */
    private static boolean leave(LinkStream stream) {
        Outgoing out = stream.socket().outgoing();
        if (out.link() == stream) {
            stream.writer().wayBack().makeDue();
            if (!stream.writer().goBackForWriter()) {
                return false;
            }
        }
        Incoming in = stream.socket().incoming();
        if (in.link() == stream) {
            stream.reader().followForReader();
        }
        return isReadToTheEnd(stream) && out.link() == null && !out.isUnfollowed();
    }

    /**
     * Whether everything up to here was read. The peer may have come to the link and gone from it before the program has read up to the
     * switch.
     */
    private static boolean isReadToTheEnd(LinkStream stream) {
        return stream.socket().incoming().link() == null && stream.reader().peekSwitchedAt() == LinkReader.NOT_SWITCHED;
    }

    /**
     * Frees a broken link once the connection goes on through the kernel, which it does as soon as the bytes that came over the link are
     * read.
     */
    private void leaveBroken(LinkStream stream) {
        StreamSocket socket = stream.socket();
        if (socket.incoming().link() == stream) {
            stream.reader().followForReader();
        }
        if (isReadToTheEnd(stream) && socket.outgoing().link() == null) {
            finish(stream, FallbackReason.LINK_LOST);
        }
    }

    /**
     * Frees an abandoned link once both ends have left it: until then the peer may have to read what was published. If bytes may be missing,
     * it stays until the program closes, since it knows what the program has been told of that.
     *
     * @param said the states that the peer has set
     */
    private void leaveAbandoned(LinkStream stream, int said) {
        if (!goOffAbandoned(stream)) {
            return;
        }
        if (!saidRetired) {
            saidRetired = true;
            stream.peer().say(Link.RETIRED);
        }
        if ((said & (Link.RETIRED | Link.BROKEN)) != 0
                && !stream.socket().loss().isCutOff()) {
            finish(stream, FallbackReason.CONNECTION_ENDED);
        }
    }

    /**
     * Takes both directions off an abandoned link as far as that goes without their threads, which do it themselves as soon as they look.
     *
     * @return whether neither goes over it any more
     */
    static boolean goOffAbandoned(LinkStream stream) {
        StreamSocket socket = stream.socket();
        if (socket.outgoing().link() == stream) {
            if (stream.writer().isShut()) {
                socket.anchorEnd().endOutput(); // the kernel's path refuses writes from then on, as the link does
            }
            boolean unused = stream.writer().goBackForWriter();
        }
        if (socket.incoming().link() == stream) {
            stream.reader().followForReader();
        }
        // A writer that is just coming there, and has not seen the end, is switching before it has the link, and has it
        // before it ends that.
        return !socket.outgoing().isSwitching() && socket.outgoing().link() == null && isReadToTheEnd(stream);
    }

    private void finish(LinkStream stream, FallbackReason why) {
        step = Step.OVER;
        try {
            stream.socket().letGo(stream, why);
        } catch (RuntimeException | Error e) {
            if (stream.socket().attached() == stream) {
                stream.failure().met(e);
            } else {
                // The connection lives on without it, and nobody would hear of the error.
                ERRORS.warn("giving a link back met an error", e);
                stream.retire();
            }
            throw e;
        }
    }
}
