package io.accel.core.socket;

import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.Shortage;
import io.accel.profile.HandoverAfter.Unrest;
import io.accel.profile.Keys;
import java.lang.ref.WeakReference;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Gives a link back while its connection lives on through the kernel: one by which nothing has gone for {@code handover.idle}, or for a
 * second while others have no room for theirs, so that its memory is free for them; one whose rings are too small, and one that has
 * broken, so that the connection may get another.
 * One thread advances it.
 *
 * <ol>
 *   <li>The end that accepted finds the link idle, or hears that it is too small; or an end that lacks room finds it idle. It does
 *       not switch to it any more, and says {@link Link#RETIRING}.
 *   <li>The other sees that, and does and says the same.
 *   <li>Each takes its own direction back to the kernel, as a writer does that finds the ring full for long, and follows the
 *       peer's.
 *   <li>An end whose directions both go through the kernel, and whose peer has followed, says {@link Link#RETIRED}.
 *   <li>An end that has said and heard that frees the link. The peer needs nothing of it any more.
 * </ol>
 *
 * <p>Traffic in between is not lost and does not wait: it goes by whichever way its direction has at that moment. If there is
 * enough of it, the end that connected asks for a new link, as it did for the first.
 *
 * <p>That end chooses the size of rings. So it says {@link Link#LARGER} when either end finds them too small and it may have
 * larger ones: the other may have smaller limits, or none, and says it as a wish.
 */
final class LinkRetirement {
    /** One in how many looks retires a link that may be in use, or breaks it, where that is done at random. */
    private static final int RESTLESS_LOOKS = 16;

    /**
     * How long it goes on as soon as it can, after each step. After that only now and then: what has come is not read, or the peer
     * cannot give the link back.
     */
    private static final long HURRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a link is young: in that time most of those turn out to be too small that ever do. */
    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long a link is idle until it is given back for others. */
    private static final long IDLE_IN_SHORTAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum Step {
        IN_USE,
        /** No writer comes to the link any more; the peer is to hear of it. */
        BEGUN,
        /** The peer is to do the same. */
        ASKED,
        /** Both ends take their directions off the link. */
        LEAVING,
        OVER
    }

    /** Weakly: a program may leave closing its sockets to the collector. */
    private final WeakReference<LinkStream> link;

    private final long youngUntil = System.nanoTime() + YOUNG_NANOS;
    /** Written by that thread; any other asks only whether it has {@linkplain #hasBegun begun}. */
    private volatile Step step = Step.IN_USE;
    /** Whether the peer was told that neither direction uses the link any more, or is being told. Set once, by that thread. */
    private volatile boolean saidRetired;
    /** Whether the peer was told that larger rings are wanted. By that thread alone. */
    private boolean saidLarger;

    private long lastActivity = -1;
    private long quietSince;
    /** Until when this is in a hurry, if {@link #hurrying}. */
    private long hurryUntil;

    private boolean hurrying;

    LinkRetirement(LinkStream stream) {
        this.link = new WeakReference<>(stream);
    }

    /**
     * Whether this direction does not come to the link again. A writer that was just {@linkplain Outgoing#isSwitching() switching} may
     * still do so. Any thread.
     */
    boolean hasBegun() {
        return step != Step.IN_USE;
    }

    /** Whether the peer has been told, or is being told, that this end uses the link no more. Any thread. */
    boolean hasSaidRetired() {
        return saidRetired;
    }

    /** Whether it goes on as soon as it can, and not only now and then. */
    boolean isInHurry(long now) {
        return step == Step.BEGUN || (hurrying && now - hurryUntil < 0);
    }

    /** Whether it is so new that the peer may soon want another. */
    boolean isYoung(long now) {
        return now - youngUntil < 0;
    }

    private void hurry(long now) {
        hurrying = true;
        hurryUntil = now + HURRY_NANOS;
    }

    /**
     * Goes on as far as it can without waiting.
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
        if (stream.broken().hasResumed()) {
            beginToLeave(now);
            leaveBroken(stream);
        } else if (saidRetired && (said & (Link.RETIRED | Link.BROKEN)) != 0) {
            // A peer that is gone from it since has said so, too, or has lost it.
            finish(stream, isForLarger(stream, said) ? FallbackReason.GROWING : FallbackReason.IDLE);
        } else if ((said & Link.ENDED) != 0) {
            return false; // it is freed when the program closes
        } else if ((said & Link.BROKEN) == 0) {
            retire(stream, said, now);
        }
        return step != Step.OVER;
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
                    || (asked && !stream.reader().hasUnread())
                    || (larger && (asked || socket.handover().isAccepted()))) {
                step = Step.BEGUN;
            }
        }
        if (step == Step.BEGUN && !socket.outgoing().isSwitching()) {
            stream.peer().say(Link.RETIRING);
            step = Step.ASKED;
            hurrying &= isForLarger(stream, said); // an idle one has time, and so has its peer
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

    /** Says that larger rings are wanted where they are, and can be had. Returns whether both ends have said so. */
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

    /** Whether the end that chooses the size has said that it wants another. */
    private boolean isForLarger(LinkStream stream, int said) {
        return stream.socket().handover().isAccepted() ? (said & Link.LARGER) != 0 : saidLarger;
    }

    /** For tests: takes one of those by which something has gone. */
    private static boolean isTaken(LinkStream stream) {
        return activity(stream) != 0 && ThreadLocalRandom.current().nextInt(RESTLESS_LOOKS) == 0;
    }

    /** Whether either end may speak first when it breaks, so that no byte is lost with it. */
    private static boolean isUsedBothWays(LinkStream stream) {
        StreamSocket socket = stream.socket();
        return socket.incoming().link() == stream
                && socket.outgoing().link() == stream
                && stream.writer().announcement().isMade();
    }

    /** Changes whenever bytes of the program's go over the link, in either direction. */
    private static long activity(LinkStream stream) {
        return stream.writer().sentInAll() + stream.reader().receivedInAll();
    }

    private boolean isIdle(LinkStream stream, long now) {
        StreamSocket socket = stream.socket();
        if (socket.unrest() == Unrest.RETURNS) {
            return isTaken(stream);
        }
        long found = activity(stream);
        if (found != lastActivity || stream.reader().hasUnread()) {
            lastActivity = found;
            quietSince = now;
            return false;
        }
        return now - quietSince >= patience(socket, now);
    }

    /** Without a shortage the end that accepted decides: only it knows whether there can be another link. */
    private static long patience(StreamSocket socket, long now) {
        if (Shortage.isOn(now)) {
            return Math.min(IDLE_IN_SHORTAGE_NANOS, socket.idleNanos());
        }
        return socket.handover().isAccepted() ? socket.idleNanos() : Keys.FOREVER;
    }

    /** Whether neither direction goes over the link any more. */
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

    /** The peer may have come to the link, and gone from it, where the program has not read up to the switch. */
    private static boolean isReadToTheEnd(LinkStream stream) {
        return stream.socket().incoming().link() == null && stream.reader().peekSwitchedAt() == LinkReader.NOT_SWITCHED;
    }

    /** The connection goes on through the kernel already, or as soon as what came over the link is read. */
    private void leaveBroken(LinkStream stream) {
        StreamSocket socket = stream.socket();
        if (socket.incoming().link() == stream) {
            stream.reader().followForReader();
        }
        if (isReadToTheEnd(stream) && socket.outgoing().link() == null) {
            finish(stream, FallbackReason.LINK_LOST);
        }
    }

    private void finish(LinkStream stream, FallbackReason why) {
        step = Step.OVER;
        stream.socket().letGo(stream, why);
    }
}
