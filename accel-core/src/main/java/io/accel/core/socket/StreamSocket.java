// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Link;
import io.accel.core.observe.ConnectionState;
import io.accel.profile.HandoverAfter;
import io.accel.profile.HandoverAfter.Unrest;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A stream: the kernel's connection, called its {@link Anchor}, from connect to close, and perhaps a link to which its bytes move while it
 * lives. The adapter connects, accepts and closes the anchor, and asks the anchor about everything but bytes and readiness. The adapter
 * reads through {@link #incoming()} and writes through {@link #outgoing()}, each of which is the kernel's until it is the link's, and waits
 * through {@link #readiness()}.
 *
 * <p>Any thread. {@link StreamHandover} brings the link and takes it away, {@link LinkLoss} deals with a broken link, and {@link AnchorEnd}
 * ends the anchor. The close, here, puts these together.
 */
public final class StreamSocket {
    private static final Log LOG = Log.of(StreamSocket.class);

    /** A class of its own, since most processes have none. */
    private static final class Errors {
        static final Warnings SEEN = new Warnings(LOG);

        private Errors() {}
    }

    private final Accelerator accelerator;
    /** The anchor as the adapter passed it. */
    private final Anchor anchor;

    private final Incoming incoming = new Incoming(this);
    private final Outgoing outgoing = new Outgoing(this);
    private final StreamHandover handover;
    private final OutOfLine.Call once = new OnceInLife(this);
    private final StreamKind kind;

    /**
     * Null before a thread waits, or the stream has a link: most blocking streams never need it. Written in the monitor of handover, once.
     */
    private volatile StreamReadiness readiness;

    // The parts that only a connection with a link needs, or one that had a link. They are made in the monitor of
    // handover, before the first link can be seen: a thread that sees a link sees these.
    private volatile LinkLoss loss;
    private volatile AnchorEnd anchorEnd;

    /** Set once, in the monitor of {@link #handover}; any thread reads it. */
    private volatile boolean closed;
    /**
     * Set by any thread, and never taken back. It does not belong to the link, which may come, or be followed by another, at any moment.
     */
    private volatile boolean inputShut;
    /**
     * Whether the connection has failed, by a report of the kernel or a look there. Set by any thread, and never taken back. A reader that has set it then
     * looks whether a writer is {@linkplain Outgoing#isSwitching switching}; a writer says that it is, and then looks here.
     */
    private volatile boolean failed;
    /** Written by the program's threads; read by the thread that has a link for the connection. */
    private volatile boolean urgentInline;
    /** Called before a link is given back; null for no call. Written by the adapter, at most once. */
    private volatile Consumer<LinkStream> beforeLetGo;

    /**
     * A stream that is not connected.
     *
     * @param accelerator the profile at work
     * @param anchor the kernel's connection, or a socket that will be one; the caller owns it
     */
    public StreamSocket(Accelerator accelerator, Anchor anchor) {
        this.accelerator = accelerator;
        this.anchor = anchor;
        this.kind = StreamKind.of(anchor);
        this.handover = new StreamHandover(this, accelerator, anchor);
    }

    // ---- its parts

    /** The direction from the peer. */
    public Incoming incoming() {
        return incoming;
    }

    /** The direction to the peer. */
    public Outgoing outgoing() {
        return outgoing;
    }

    /** The readiness of the stream for reading and writing. */
    public StreamReadiness readiness() {
        StreamReadiness known = readiness;
        return known == null ? makeReadiness() : known;
    }

    private StreamReadiness makeReadiness() {
        synchronized (handover) {
            if (readiness == null) {
                StreamReadiness made = new StreamReadiness(this, anchor);
                if (closed) {
                    made.close(false); // a later close finds it
                }
                readiness = made;
            }
            return readiness;
        }
    }

    /**
     * As {@link StreamReadiness#endRegistrations}, if there are any.
     *
     * @param over decides by the attachment whether a registration has ended
     */
    public void endRegistrations(Predicate<Object> over) {
        StreamReadiness known = readiness;
        if (known != null) {
            known.endRegistrations(over);
        }
    }

    StreamHandover handover() {
        return handover;
    }

    /** Prepares for a link that is about to come. In the monitor of {@link StreamHandover}, before the link can be seen. */
    void prepareForLink() {
        if (loss == null) {
            loss = new LinkLoss(this);
            anchorEnd = new AnchorEnd(this, anchor);
            incoming.prepareForLink();
        }
    }

    /** The part that deals with a broken link; null before the first link. */
    LinkLoss loss() {
        return loss;
    }

    /** The part that ends the anchor; null before the first link. */
    AnchorEnd anchorEnd() {
        return anchorEnd;
    }

    /** The kernel's connection as it can be used now, perhaps after the adapter's close. */
    Anchor anchor() {
        AnchorEnd end = anchorEnd;
        return end == null ? anchor : end.current();
    }

    /** The kernel's connection as the adapter has it. */
    Anchor adaptersAnchor() {
        return anchor;
    }

    /** The kind of the kernel's connection. */
    StreamKind kind() {
        return kind;
    }

    /** The path that the bytes take. */
    public PathInfo path() {
        return handover.path();
    }

    /** The link, whichever directions go over it; null if there is none. */
    public LinkStream attached() {
        return handover.attached();
    }

    /** Whether bytes of either direction may be lost with the link. */
    boolean hasBytesInLink() {
        return incoming.link() != null || outgoing.link() != null || outgoing.isUnfollowed();
    }

    // ---- its profile

    /** How blocking operations on a link wait. */
    public BlockingWaits waits() {
        return accelerator.waits();
    }

    /** How long a link is idle before it is given back. Ignored in tests that give links back at random. */
    long idleNanos() {
        return accelerator.handoverIdleNanos();
    }

    /** Whether so much traffic makes the connection worth a link. */
    boolean isWorthLink(int operations, long bytes) {
        HandoverAfter after = accelerator.handoverAfter();
        // In a young process the peer has no listener yet, and what decides on prices is a hundred classes.
        return after.isReached(operations, bytes)
                && !accelerator.waitsForYouth(true)
                && (!after.isPriced() || accelerator.upgrades().areDue(operations, bytes));
    }

    /** How many operations may pass before the traffic is summed up again: none where a number of them decides. */
    int operationsToPass() {
        return accelerator.handoverAfter().isPriced() ? PricedUpgrades.UNCOUNTED : 0;
    }

    /** The connections with which it asks for a link when that has paid off; null if it asks by itself. */
    PricedUpgrades priced() {
        return accelerator.handoverAfter().isPriced() && !accelerator.isFailing() ? accelerator.upgrades() : null;
    }

    /** The random disturbance that tests ask for. */
    Unrest unrest() {
        return accelerator.handoverAfter().unrest();
    }

    // ---- its life

    /**
     * Takes note that the adapter has connected the anchor. With {@code fallback=fail} this waits until the connection has a link, or until
     * the peer has heard of it and waits for its program to accept.
     *
     * @throws ConnectException if the connection gets no link, and {@code fallback=fail}
     * @throws IOException for no other reason
     */
    public void connected() throws IOException {
        int unused = OutOfLine.call(once, OnceInLife.CONNECTED);
    }

    /** Takes note that a listener has accepted the connection. */
    void accepted(StreamListener by) {
        handover.acceptedBy(by);
        OnceInLife.run(once, OnceInLife.ACCEPTED);
    }

    /**
     * Takes note that the anchor was connected before this was made, perhaps long ago. Both ends count a connection's bytes from its
     * beginning, to agree on the byte at which it moves, and this end cannot know how many there were. So the connection never moves.
     *
     * @throws ConnectException if {@code fallback=fail}
     */
    public void foreign() throws ConnectException {
        handover.foreign();
    }

    /**
     * Sets the callback of an adapter that may have data of its own in a link's memory while it neither reads nor writes.
     *
     * @param told called by Accel's thread before the link is given back. It must not wait, and must {@linkplain LinkStream#hold hold} the
     *     link if it needs it for longer
     */
    public void beforeLetGo(Consumer<LinkStream> told) {
        beforeLetGo = told;
    }

    /**
     * Gives back the link, since neither direction goes over it any more. Called by {@link LinkRetirement}'s thread.
     *
     * @param stream the link
     * @param why the reason why the connection is on the kernel's path now
     */
    void letGo(LinkStream stream, FallbackReason why) {
        Consumer<LinkStream> told = beforeLetGo;
        if (told != null) {
            told.accept(stream);
        }
        incoming.forgetRecord();
        handover.letGo(stream, why);
    }

    /**
     * The monitor in which an adapter asks for, or sets, an option of the kernel's connection for the program; if it sets one, it checks there
     * that the program has not closed the connection. Accel itself sets {@code TCP_NODELAY} for a moment, to announce a switch, and {@code
     * SO_LINGER} when it closes. The two exclude each other: the program never sees Accel's values, and none of its own gets lost. Each
     * is a system call or two, so nobody waits for long.
     */
    public Object optionsMonitor() {
        return anchor; // on which the anchor's own changes are guarded
    }

    /**
     * Says whether urgent bytes are wanted inline. A peer that sends over the link has to know that.
     *
     * @param wanted as {@code SO_OOBINLINE}
     */
    public void wantUrgentInline(boolean wanted) {
        urgentInline = wanted;
        LinkStream stream = attached();
        if (wanted && stream != null) {
            stream.peer().say(Link.URGENT_INLINE);
            if (anchor.watched() == null) { // in blocking mode
                stream.peer().awaitArrival(); // as the option is in force at once on the kernel's path
            }
        }
    }

    boolean wantsUrgentInline() {
        return urgentInline;
    }

    /**
     * Takes note that the program has shut down the anchor's input: reads over a link return the end from now on, and a thread that waits
     * in a read returns at once. A link that comes meanwhile finds the flag set: it is set before {@link #attached} is read here, and
     * {@link StreamHandover#attach} writes that before anybody looks at the link.
     */
    public void shutdownInput() {
        inputShut = true;
        LinkStream stream = attached();
        if (stream != null) {
            stream.refresh();
        }
        tellIfDeaf();
    }

    /**
     * Ends the program's output, on whichever path that goes. The end comes behind the bytes written, and a thread that waits in a write
     * fails.
     *
     * @throws IOException if the connection is closed
     */
    public void shutdownOutput() throws IOException {
        LinkStream stream = outgoing.fix();
        if (stream == null) {
            anchor.shutdownOutput();
        } else {
            stream.writer().shutdown();
        }
        tellIfDeaf();
    }

    /**
     * Tells the peer if this end has shut down both directions. TCP answers bytes that come to such an end with a reset. A peer that sends
     * over the link is told to reset by itself; if it still sends through the kernel, the kernel resets if its connection has ended as
     * well. A link that can break keeps that connection for the record that would follow. The last step tells the peer, or several do: a
     * shutdown sets its own flag before it looks here for the rest, and so does {@link StreamHandover#attach}.
     */
    void tellIfDeaf() {
        LinkStream stream = attached();
        if (!inputShut || stream == null) {
            return;
        }
        if (kind.endings().tellsShutInput()) {
            stream.peer().say(Link.DEAF);
        }
        boolean byLink = stream.writer().isFinished();
        if (byLink || anchor.isOutputShut()) {
            stream.peer().say(Link.CLOSED);
        }
        if (byLink && !stream.broken().isPossible()) {
            anchorEnd.endOutput();
        }
    }

    /**
     * Takes note that an operation has met an error of the kernel's, which may be that the connection has failed. The kernel reports a
     * failure once, and refuses all later writes. So the output comes to no link any more, which might take them. Any thread.
     */
    void met(IOException e) {
        if (!(e instanceof ClosedChannelException)) {
            boolean unused = findFailed();
        }
    }

    /**
     * Takes the output off its link if the connection has failed, of which the kernel is about to tell the program by its readiness. Not in a
     * half of the link. Any thread.
     */
    void leaveIfFailed() {
        LinkStream stream = attached();
        if (stream != null && !stream.broken().isAbandoned() && findFailed() && outgoing.hasCome(stream)) {
            AnchorWatch.met(stream);
        }
    }

    /** As {@link #hasFailed}, after a look at the kernel's connection, which may have failed without a report so far. */
    boolean findFailed() {
        if (!failed && !closed) {
            try {
                if (AnchorWatch.hasFailed(this)) {
                    failed = true;
                }
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "closed meanwhile", e);
            }
        }
        return failed;
    }

    /** Whether the connection is known to have failed, as far as the kernel is concerned. Any thread. */
    boolean hasFailed() {
        return failed;
    }

    /** Whether reads return the end because this side has shut its input. Any thread. */
    public boolean isInputShut() {
        return inputShut;
    }

    // ---- its end

    /**
     * Closes the link, and prepares the anchor, which the caller then closes, so that the peer sees one end. Never blocks. If the peer may
     * lack some of the bytes sent, the kernel's connection lives on after the caller's close, until they have arrived ({@link
     * LingeringClose}).
     *
     * @param abort whether to reset, as with {@code SO_LINGER} 0; asked only where the kernel does not see to that by itself
     * @param orderly whether to end in order, unless {@code abort} asks for a reset, although bytes are unread; otherwise unread bytes make
     *     it a reset
     */
    public void close(BooleanSupplier abort, boolean orderly) {
        close(false, abort, orderly ? Unread.ENDS_ALONE : Unread.RESETS);
    }

    /**
     * As {@link #close(BooleanSupplier, boolean)}, for an adapter that knows whether to reset.
     *
     * @param aborts whether to reset
     * @param orderly as there
     */
    public void close(boolean aborts, boolean orderly) {
        close(aborts, null, orderly ? Unread.ENDS_ALONE : Unread.RESETS);
    }

    /**
     * As {@link #close}, but as the JDK closes its sockets: the output ends in order first, and then unread bytes make it a reset behind
     * that end.
     *
     * @param abort as there
     */
    public void closeBehindEnd(BooleanSupplier abort) {
        close(false, abort, Unread.RESETS_BEHIND_END);
    }

    /** The effect of unread bytes on a close. */
    private enum Unread {
        RESETS,
        RESETS_BEHIND_END,
        /** The close still ends in order. */
        ENDS_ALONE
    }

    /**
     * Closes it.
     *
     * @param aborts whether to reset, if that is not to be asked
     * @param abort as in {@link #close(BooleanSupplier, boolean)}; null if it is not to be asked
     */
    private void close(boolean aborts, BooleanSupplier abort, Unread unread) {
        boolean interrupted = Uninterrupted.begin();
        try {
            if (kind.endings().areChosen()) {
                closeUninterrupted(aborts, abort, unread);
            } else {
                closeUninterrupted(false, null, Unread.RESETS);
            }
        } finally {
            Uninterrupted.end(interrupted);
        }
    }

    /**
     * Begins the close of a channel that a selector still has a key of, as the JDK begins it: the output ends, and unread bytes decide
     * nothing before the selector has let go of the key. TCP connections, whose close in that state ends in order, and connections
     * without a link, whose close the kernel's channel delays by itself, must be closed at once.
     *
     * @param aborts whether the close has to be a reset, of which the peer learns nothing before the selector has let go
     * @return whether {@link #close} and the close of the anchor are to wait for that
     */
    public boolean beginClose(boolean aborts) {
        if (kind.endings().areChosen() || attached() == null) {
            return false;
        }
        if (!aborts) {
            Uninterrupted.run(() -> {
                try {
                    shutdownOutput();
                } catch (IOException e) {
                    LOG.get().log(Level.DEBUG, "the output of a channel that closes had ended before", e);
                }
            });
        }
        return true;
    }

    /**
     * Records that the adapter has closed the anchor, after {@link #close}; used for Unix-domain connections.
     *
     * @param aborted whether the close had to be a reset
     */
    public void anchorClosed(boolean aborted) {
        anchor.closed(aborted);
    }

    private static boolean resets(boolean aborts, BooleanSupplier abort) {
        return abort == null ? aborts : abort.getAsBoolean();
    }

    private void closeUninterrupted(boolean aborts, BooleanSupplier abort, Unread unread) {
        LinkStream stream;
        synchronized (handover) {
            if (closed) {
                return;
            }
            closed = true;
            stream = attached();
        }
        // Whatever fails there, nobody closes a second time.
        if (stream != null) {
            try {
                handover.closed();
            } finally {
                closeLink(stream, aborts, abort, unread);
            }
        } else {
            try {
                if (unread != Unread.RESETS && !anchor.closesInOrder() && !resets(aborts, abort)) {
                    AnchorEnd.endOutput(anchor);
                }
            } finally {
                OnceInLife.run(once, OnceInLife.CLOSED);
            }
        }
    }

    /** Ends what a stream without a link has, once its output has ended where it must. */
    void closeWithoutLink() {
        try {
            handover.closed();
        } finally {
            StreamReadiness waited = readiness; // after closed was set: a readiness made from now on is closed
            if (waited != null) {
                waited.close(false);
            }
            handover.countNoMore();
        }
    }

    private void closeLink(LinkStream stream, boolean aborts, BooleanSupplier abort, Unread whatIf) {
        try {
            closeLink(stream, resets(aborts, abort), whatIf);
        } catch (RuntimeException | Error e) {
            Errors.SEEN.warn(
                    "closing a connection met an error; its peer is reset, and all that it had is given back", e);
            stream.failure().met(e);
        }
        if (stream.failure().isMet()) {
            anchorEnd.reset();
            readiness().close(true);
        }
    }

    private void closeLink(LinkStream stream, boolean aborts, Unread whatIf) {
        AnchorWatch.get().remove(stream); // before the descriptor is closed
        boolean unread = whatIf != Unread.ENDS_ALONE
                && (incoming.hasUnread() || stream.reader().hasUnread());
        String reset = aborts ? "closed with SO_LINGER 0" : unread ? "closed with bytes unread" : null;
        boolean endsFirst = whatIf == Unread.RESETS_BEHIND_END && !aborts;
        boolean byLink = outgoing.fix() != null; // its farewell and the way back to the kernel exclude each other
        // A peer that has not noticed that the link is broken must not take this for the end of the bytes sent.
        boolean failed = stream.lease().hasFailed();
        boolean inUse = failed || hasBytesInLink();
        // Asked once: a link that breaks from now on has brought everything, if it had until now.
        boolean arrived = byLink && !stream.broken().mayPeerLackAny();
        boolean lingers = reset == null && byLink && !arrived && anchorEnd.keep(stream);
        boolean resets = reset != null
                || (inUse
                        && !lingers
                        && (failed
                                || stream.peer().hasReset()
                                || (!arrived && stream.broken().isResuming())));
        if (byLink && !resets && !lingers) {
            anchorEnd.sayFarewell(stream);
        }
        stream.close(reset, reset != null && (endsFirst || (!byLink && anchor.isOutputShut())));
        if (lingers) {
            linger(stream);
            readiness().close(true);
            return;
        }
        if (!byLink && (resets ? endsFirst && reset != null : whatIf != Unread.RESETS)) {
            anchorEnd.endOutput();
        }
        if (resets) {
            anchorEnd.reset();
        } // otherwise the kernel ends it: with a reset if its bytes were not read
        incoming.drain();
        readiness().close(inUse);
    }

    private void linger(LinkStream stream) {
        LingeringClose close = null;
        try {
            close = new LingeringClose(this, stream, anchorEnd.kept(), accelerator.lingerNanos(), System.nanoTime());
            StreamUpgrades.get().linger(close);
        } catch (RuntimeException | Error e) {
            if (close != null) {
                close.fail(e);
            } else {
                anchorEnd.giveUpKept();
                stream.release();
            }
            throw e;
        }
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    // ---- for observers

    /** The state of a connection that is not accelerated. */
    ConnectionState kernelState() {
        if (closed) {
            return ConnectionState.CLOSING;
        }
        return anchor.isConnected() ? ConnectionState.ESTABLISHED : ConnectionState.CONNECTING;
    }

    SocketAddress observedLocal() {
        return anchor.shownLocal();
    }

    SocketAddress observedRemote() {
        return anchor.shownRemote();
    }
}
