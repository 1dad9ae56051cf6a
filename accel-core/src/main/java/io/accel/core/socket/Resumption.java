// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.stream.CorruptLinkException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;

/**
 * Takes a connection whose link has broken back to the kernel's path, so that no byte is lost or comes twice. One thread advances it. The
 * thread that closes the program's descriptor holds this monitor while the connection gets another descriptor, so that no call fails in
 * between.
 *
 * <ol>
 *   <li>When the last byte that came over the link is in, each end says over the anchor how far it has received ({@link ResumeRecord}).
 *   <li>Each end sends the bytes that the other has not received again, over the anchor. They are still in the ring, whose room is reused
 *       only when the peer has read it.
 *   <li>A writer goes on through the kernel when everything written before has been sent again; a reader does when it has read everything
 *       that came over the link.
 * </ol>
 *
 * <p>A direction whose writer has already gone back to the kernel needs none of that if the peer has heard of it, since the peer hears of
 * it after all bytes sent before. If the peer has not heard of it, nothing needs to be sent again: a writer goes back only when the peer's
 * device has everything ({@link LinkWriter#leave}).
 *
 * <p>An end must not speak while the other would take the record for the program's bytes. So it speaks first only if its own direction goes
 * over the link, and it has announced that; otherwise it speaks when it has heard the other. An end that knows all about both directions
 * does not speak. The connection is reset if neither end may speak although one has to, or if bytes cannot be accounted for.
 */
final class Resumption {
    /**
     * How long the peer may take to speak to an end that must not speak first, and may be in the same position. An end
     * that has spoken waits as long as TCP does for the answer, unless its input is shut, which hides the peer's end from it.
     */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** How long the kernel's refusal of a record sent to a process that is gone may take. */
    private static final long VERDICT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** How long this end tries to tell the peer that bytes are lost. */
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The most bytes that go to an anchor that was found to have room. */
    private static final int PIECE = 1024;

    private enum Step {
        /** Not all bytes that came over the link are in. */
        DRAINING,
        EXCHANGING,
        REPLAYING,
        /** The peer must be told that bytes are lost. */
        GIVING_UP,
        OVER
    }

    private final StreamSocket socket;
    private final LinkStream stream;
    private final LinkBreak broken;
    private final Incoming in;
    private final Outgoing out;
    private final long begun;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);

    private Step step = Step.DRAINING;
    private ResumeRecord peers;
    /** The record to send to the peer; null when it has been sent. */
    private ByteBuffer own;

    /** The cursor of the first byte sent over the link that the peer has not received. */
    private long replayFrom;

    private Replay replay;
    private String why;
    private long gaveUpAt;
    /** When the kernel's connection was found to have ended, 0 before. */
    private long endedAt;

    Resumption(StreamSocket socket, LinkStream stream, long now) {
        this.socket = socket;
        this.stream = stream;
        this.broken = stream.broken();
        this.in = socket.incoming();
        this.out = socket.outgoing();
        this.begun = now;
        this.piece.limit(0);
    }

    /** Loads the classes that a connection needs when its link breaks, so that it need not wait for them then. Any thread. */
    static void prepare() {
        Step unused = Step.DRAINING;
        Replay.prepare();
        ResumeRecord.prepare();
    }

    /**
     * Advances as far as it can without waiting, unless the program has closed.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return whether to call again
     */
    synchronized boolean advance(long now) {
        return !socket.isClosed() && goOn(now); // otherwise the close has told the peer, or calls goOn
    }

    /** Ends the connection after an error. */
    synchronized void fail(Throwable e) {
        step = Step.OVER;
        stream.failure().met(e);
    }

    /** As {@link #advance}, but also after the program has closed: the bytes it has written must still reach the peer. */
    synchronized boolean goOn(long now) {
        if (stream.lease().hasFailed()) {
            step = Step.OVER; // that has reset the connection
        }
        try {
            if (step == Step.DRAINING) {
                drain();
            }
            if (step == Step.EXCHANGING) {
                exchange(now);
            }
            if (step == Step.REPLAYING) {
                replay();
            } else if (step == Step.EXCHANGING
                    && (own != null || socket.isInputShut())
                    && now - begun > PATIENCE_NANOS) {
                giveUp("the peer has not said in time how much it had received");
            }
        } catch (ClosedChannelException e) {
            giveUp("this end sends or reads no more, and cannot say how much it has received over the link");
        } catch (IOException e) {
            giveUp(e.getMessage());
        } catch (RuntimeException | Error e) {
            giveUp(e.toString()); // the same thread advances other connections
        }
        if (step == Step.GIVING_UP) {
            lose(now);
        }
        return step != Step.OVER;
    }

    private void drain() throws IOException {
        long received = broken.finallyReceived();
        if (received < 0) {
            return;
        }
        if (out.isSwitching()) {
            return; // or a writer is just finding out that it cannot switch
        }
        boolean sends = out.link() != null;
        boolean receives = in.link() != null || stream.reader().peekSwitchedAt() != LinkReader.NOT_SWITCHED;
        if (receives && stream.reader().isPeerLeaving()) {
            receives = false; // no more bytes will come over the link
        }
        if (!sends && !receives) {
            over();
        } else if (!receives && !stream.writer().announcement().isMade()) {
            giveUp("the peer does not know of the switch");
        } else {
            peers = new ResumeRecord(stream.link().nonce());
            own = ResumeRecord.of(stream.link().nonce(), received);
            in.await(peers);
            step = Step.EXCHANGING;
        }
    }

    private void exchange(long now) throws IOException {
        boolean isOver = in.receiveRecord();
        boolean spoke = !peers.isFound() && own != null && mayTell() && speak();
        if (!peers.isFound()) {
            if (!spoke && isOver) {
                ended(now);
            }
        } else if (peers.isOfClosing()) {
            peerHasClosed();
        } else if (isWhole() && (own == null || tell(own))) {
            own = null;
            beginReplay();
        }
    }

    /**
     * Sends this end's record, and returns whether that was possible now. A peer may have closed since its record was last looked for, and
     * its kernel may refuse bytes by now. The record that such a peer left decides, not the refusal.
     */
    private boolean speak() throws IOException {
        try {
            if (!tell(own)) {
                return false;
            }
            own = null;
            return true;
        } catch (IOException e) {
            boolean unused = in.receiveRecord();
            if (!peers.isFound() || !peers.isOfClosing()) {
                throw e;
            }
            return false;
        }
    }

    /** Sends a record that {@link #mayTell may} be sent. Returns whether that was possible now. */
    private boolean tell(ByteBuffer record) throws IOException {
        return hasHeard() ? out.say(record) : out.sayFirst(record);
    }

    /** Ends this after the peer has closed: either all that it sent before has come, or it is known that some is missing. */
    private void peerHasClosed() {
        if (broken.finallyReceived() < peers.sent()) {
            giveUp("the peer has closed, and the last bytes that it sent over the link have not come");
        } else {
            step = Step.OVER;
            broken.decide(Link.FIN | Link.CLOSED);
        }
    }

    /** Whether the peer will recognise the record. */
    private boolean mayTell() {
        return hasHeard()
                || (out.link() != null && stream.writer().announcement().isMade());
    }

    private boolean hasHeard() {
        return peers != null && peers.isFound();
    }

    /** Whether the peer has been sent a record, or a part of one. It would take another for the program's bytes. */
    private boolean hasSpoken() {
        return peers != null && (own == null || own.position() > 0);
    }

    /** Handles a kernel's connection that has ended without a record, as it does when its process is gone. */
    private void ended(long now) throws IOException {
        if (in.link() == null) {
            if (hasPeerDied(now)) {
                step = Step.OVER;
                broken.decide(Link.FIN | Link.CLOSED);
            }
        } else if (stream.reader().isPeerLeaving()) {
            in.awaitNoRecord();
            over(); // the reader goes on up to the end
            broken.decide(Link.CLOSED);
        } else if (peers.hasSeenMore()) {
            giveUp(
                    "the peer has gone on through the kernel, and bytes that it sent over the link before may not have come");
        } else if (in.readEnd()) {
            step = Step.OVER;
            broken.decide(Link.FIN | Link.CLOSED);
        }
    }

    /**
     * Whether a peer that has ended its output through the kernel is dead. A peer that has only ended its output, as its program may
     * do, cannot say what it has received, and is given up. Its kernel accepts the record that this end sends, and the kernel of
     * a process that is gone refuses it.
     */
    private boolean hasPeerDied(long now) {
        if (endedAt == 0) {
            endedAt = now | 1;
        }
        if (mayTell() && now - endedAt < VERDICT_NANOS) {
            return false;
        }
        try {
            boolean unused = mayTell() && tell(ResumeRecord.of(stream.link().nonce(), ResumeRecord.LOST));
        } catch (IOException e) {
            return true;
        }
        giveUp("the peer sends no more through the kernel, and cannot say how much it has received over the link");
        return false;
    }

    /**
     * Whether nothing is lost according to the peer's record. If bytes are lost, the peer may not have heard from this end yet, and is
     * told.
     */
    private boolean isWhole() throws CorruptLinkException {
        long received = peers.received();
        if (received == ResumeRecord.LOST) {
            giveUp("the peer has lost bytes");
        } else if (out.link() != null) {
            replayFrom = stream.writer().resumeAt(received);
            if (replayFrom < 0) {
                giveUp(
                        "bytes that the peer lacks were sent from the program's own memory, or the switch is not known there");
            }
        } else if (out.isUnfollowed() && received != stream.writer().published()) {
            giveUp("the peer lacks bytes that went over the link before this end had gone back to the kernel");
        }
        return step == Step.EXCHANGING;
    }

    private void beginReplay() {
        if (out.link() == null) {
            over();
            return;
        }
        replay = new Replay(replayFrom);
        broken.replay(replay);
        broken.returnReader();
        step = Step.REPLAYING;
    }

    private void replay() throws IOException {
        while (piece.hasRemaining() || replay.left() > 0) {
            if (!piece.hasRemaining()) {
                stream.writer().copySent(replay.done(), piece, replay.left());
            }
            int n = socket.loss().send(piece);
            replay.sent(n);
            if (piece.hasRemaining()) {
                return; // there is no room now
            }
        }
        if (out.link() == null || stream.writer().goBackForWriter()) {
            if (stream.writer().isShut()) {
                socket.anchorEnd().endOutput();
            }
            over();
        }
    }

    private void over() {
        step = Step.OVER;
        if (out.isUnfollowed()) {
            broken.decide(Link.FOLLOWED); // as the peer's reader would say, since everything has reached it
        }
        broken.returnReader();
        socket.loss().resumed();
    }

    private void giveUp(String because) {
        step = Step.GIVING_UP;
        why = because;
        gaveUpAt = System.nanoTime();
    }

    /**
     * Tells the peer of the loss, if it may be told, before anybody here: a program that hears of it and closes ends the kernel's
     * connection, which must not look orderly.
     */
    private void lose(long now) {
        boolean told = false;
        if (mayTell() && !hasSpoken()) {
            try {
                told = tell(ResumeRecord.of(stream.link().nonce(), ResumeRecord.LOST));
                if (!told && now - gaveUpAt < FAREWELL_NANOS) {
                    return;
                }
            } catch (IOException e) {
                told = true; // the kernel's connection is over, and not in order
            }
        }
        step = Step.OVER;
        socket.loss().lost(why, told);
        if (peers != null) {
            // This comes after the loss: the program must not read a record that still comes. A reader that goes on
            // through the kernel waits for no record any more, and meets the reset there.
            in.forgetRecord();
            socket.readiness().refresh();
        }
    }
}
