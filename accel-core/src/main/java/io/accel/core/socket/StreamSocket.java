package io.accel.core.socket;

import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.observe.ConnectionState;
import io.accel.profile.HandoverAfter.Unrest;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A stream: the kernel's connection, its {@link Anchor}, from connect to close, and perhaps a link to which its bytes move while
 * it lives. The adapter connects, accepts and closes the anchor, and asks it about everything but bytes and readiness. It reads
 * by {@link #incoming()} and writes by {@link #outgoing()}, each of which is the kernel's until it is the link's, and waits by {@link
 * #readiness()}.
 *
 * <p>Any thread. How the link comes and goes is {@link StreamHandover}'s; what follows when it breaks is {@link LinkLoss}'s; how the
 * anchor ends is {@link AnchorEnd}'s. The close, here, puts these together.
 */
public final class StreamSocket {
    private final Accelerator accelerator;
    /** The adapter's. */
    private final Anchor anchor;

    private final Incoming incoming = new Incoming(this);
    private final Outgoing outgoing = new Outgoing(this);
    private final StreamHandover handover;

    /** Null before somebody waits for it, or it has a link: most that block never come to that. Written in the monitor of handover, once. */
    private volatile StreamReadiness readiness;

    // What only a connection needs that has a link, or had one. Made in the monitor of handover, before the first link
    // can be seen: whoever sees a link sees these.
    private volatile LinkLoss loss;
    private volatile AnchorEnd anchorEnd;

    /** Set once, in the monitor of {@link #handover}; any thread reads it. */
    private volatile boolean closed;
    /** Set by any thread, and never taken back. It is not the link's: that may come, or be followed by another, at any moment. */
    private volatile boolean inputShut;
    /** Written by the program's threads; read by the thread that has a link for the connection. */
    private volatile boolean urgentInline;
    /** Called before a link is given back; null for nothing. Written by the adapter, at most once. */
    private volatile Consumer<LinkStream> beforeLetGo;

    /**
     * A stream that is not connected.
     *
     * @param accelerator the profile at work
     * @param anchor the kernel's connection, or what will be one; the caller owns it
     */
    public StreamSocket(Accelerator accelerator, Anchor anchor) {
        this.accelerator = accelerator;
        this.anchor = anchor;
        this.handover = new StreamHandover(this, accelerator, anchor);
    }

    // ---- its parts

    /** What comes from the peer. */
    public Incoming incoming() {
        return incoming;
    }

    /** What goes to the peer. */
    public Outgoing outgoing() {
        return outgoing;
    }

    /** When it can be read and written. */
    public StreamReadiness readiness() {
        StreamReadiness known = readiness;
        return known == null ? makeReadiness() : known;
    }

    private StreamReadiness makeReadiness() {
        synchronized (handover) {
            if (readiness == null) {
                StreamReadiness made = new StreamReadiness(this, anchor);
                if (closed) {
                    made.close(false); // a close that comes later finds it
                }
                readiness = made;
            }
            return readiness;
        }
    }

    /**
     * As {@link StreamReadiness#endRegistrations}, if there are any.
     *
     * @param over tells by the attachment
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

    /** A link is about to come. In the monitor of {@link StreamHandover}, before it can be seen. */
    void prepareForLink() {
        if (loss == null) {
            loss = new LinkLoss(this);
            anchorEnd = new AnchorEnd(this, anchor);
            incoming.prepareForLink();
        }
    }

    /** What follows when the link breaks; null before the first link. */
    LinkLoss loss() {
        return loss;
    }

    /** How the anchor ends; null before the first link. */
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

    /** Which way the bytes take. */
    public PathInfo path() {
        return handover.path();
    }

    /** The link, whichever directions go by it; null if there is none. */
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

    /** How long a link is idle until it is given back; for tests that have it done at random that does not count. */
    long idleNanos() {
        return accelerator.handoverIdleNanos();
    }

    /** Whether so much traffic makes it worth a link. */
    boolean isWorthLink(int operations, long bytes) {
        return accelerator.handoverAfter().isReached(operations, bytes);
    }

    /** What is done to this at random, for tests. */
    Unrest unrest() {
        return accelerator.handoverAfter().unrest();
    }

    // ---- its life

    /**
     * The adapter has connected the anchor. With {@code fallback=fail} this waits until the connection has a link, or the peer
     * has heard of it and waits for its program to accept.
     *
     * @throws ConnectException if it gets none, and {@code fallback=fail}
     */
    public void connected() throws ConnectException {
        handover.connected();
    }

    /**
     * Has an adapter called that may have something of its own in a link's memory while it reads or writes nothing.
     *
     * @param told called by Accel's thread before the link is given back; it must not wait, and {@linkplain LinkStream#hold holds}
     *     the link if it needs it for longer
     */
    public void beforeLetGo(Consumer<LinkStream> told) {
        beforeLetGo = told;
    }

    /**
     * Neither direction goes over the link any more: gives it back. By {@link LinkRetirement}'s thread.
     *
     * @param stream the link
     * @param why the connection is on the kernel's path now
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
     * Says whether urgent bytes are wanted inline, which a peer that sends over the link has to know.
     *
     * @param wanted as {@code SO_OOBINLINE}
     */
    public void wantUrgentInline(boolean wanted) {
        urgentInline = wanted;
        LinkStream stream = attached();
        if (wanted && stream != null) {
            stream.peer().say(Link.URGENT_INLINE);
        }
    }

    boolean wantsUrgentInline() {
        return urgentInline;
    }

    /**
     * The program has shut down the anchor's input: reads over a link return the end from now on, and what waits in one returns it at
     * once. A link that comes meanwhile finds it said: the flag is set before {@link #attached} is read here, and {@link
     * StreamHandover#attach} writes that before anybody looks at the link.
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
     * The program ends what it sends, by whichever way that goes: it comes after what was written, and what waits in a write fails.
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
     * TCP refuses what comes to an end that has shut down both directions, with a reset. A peer that sends over the link is told to do so by
     * itself; where it still sends through the kernel, that does so if the kernel's connection has ended as well. A link that can break keeps
     * that connection for the word that follows. The last step tells the peer, or several do: a shutdown sets what it says before it
     * looks here for the rest, and so does {@link StreamHandover#attach}.
     */
    void tellIfDeaf() {
        LinkStream stream = attached();
        if (!inputShut || stream == null) {
            return;
        }
        boolean byLink = stream.writer().isFinished();
        if (byLink || anchor.isOutputShut()) {
            stream.peer().say(Link.CLOSED);
        }
        if (byLink && !stream.broken().isPossible()) {
            anchorEnd.endOutput();
        }
    }

    /** Whether reads return the end because this side said so. Any thread. */
    public boolean isInputShut() {
        return inputShut;
    }

    // ---- its end

    /**
     * Closes the link, and prepares the anchor, which is the caller's to close, so that the peer sees one end. Never blocks. Where
     * the peer may lack some of what was sent, the kernel's connection lives on after the caller's close, until that has come
     * ({@link LingeringClose}).
     *
     * @param abort whether to reset, as with {@code SO_LINGER} 0; asked where the kernel does not see to that by itself
     * @param orderly whether to end in order, unless it is to be a reset, although bytes are unread, which otherwise makes it one
     */
    public void close(BooleanSupplier abort, boolean orderly) {
        close(abort, orderly ? Unread.ENDS_ALONE : Unread.RESETS);
    }

    /**
     * As {@link #close}, as the JDK closes its sockets: what this end sends ends in order first, and then bytes that are unread make it a
     * reset, behind that end.
     *
     * @param abort as there
     */
    public void closeBehindEnd(BooleanSupplier abort) {
        close(abort, Unread.RESETS_BEHIND_END);
    }

    /** What a close makes of bytes that are unread. */
    private enum Unread {
        RESETS,
        RESETS_BEHIND_END,
        /** It ends in order all the same. */
        ENDS_ALONE
    }

    private void close(BooleanSupplier abort, Unread unread) {
        Uninterrupted.run(() -> closeUninterrupted(abort, unread));
    }

    private void closeUninterrupted(BooleanSupplier abort, Unread unread) {
        LinkStream stream;
        boolean unsaid;
        synchronized (handover) {
            if (closed) {
                return;
            }
            closed = true;
            stream = attached();
            unsaid = handover.wakeForClose();
        }
        handover.closed(unsaid);
        if (stream != null) {
            closeLink(stream, abort.getAsBoolean(), unread);
            return;
        }
        if (unread != Unread.RESETS && !anchor.closesInOrder() && !abort.getAsBoolean()) {
            AnchorEnd.endOutput(anchor);
        }
        StreamReadiness waited = readiness; // after closed was set: what is made from now on is closed
        if (waited != null) {
            waited.close(false);
        }
        handover.countNoMore();
    }

    private void closeLink(LinkStream stream, boolean aborts, Unread whatIf) {
        boolean unread = whatIf != Unread.ENDS_ALONE
                && (incoming.hasUnread() || stream.reader().hasUnread());
        String reset = aborts ? "closed with SO_LINGER 0" : unread ? "closed with bytes unread" : null;
        boolean endsFirst = whatIf == Unread.RESETS_BEHIND_END && !aborts;
        boolean byLink = outgoing.link() != null;
        // A peer whose end of a broken link has not noticed must not take this for the end of what was sent.
        boolean inUse = hasBytesInLink();
        boolean lingers = reset == null && byLink && stream.broken().mayPeerLackAny() && anchorEnd.keep(stream);
        boolean resets = reset != null
                || (inUse
                        && !lingers
                        && (stream.peer().hasReset() || stream.broken().isResuming()));
        if (byLink && !resets && !lingers) {
            anchorEnd.sayFarewell(stream);
        }
        stream.close(reset, reset != null && (endsFirst || (!byLink && anchor.isOutputShut())));
        if (lingers) {
            StreamUpgrades.get()
                    .linger(new LingeringClose(
                            this, stream, anchorEnd.kept(), accelerator.lingerNanos(), System.nanoTime()));
            readiness().close(true);
            return;
        }
        if (!byLink && (resets ? endsFirst && reset != null : whatIf != Unread.RESETS)) {
            anchorEnd.endOutput();
        }
        if (resets) {
            anchorEnd.reset();
        } // otherwise the kernel ends it: with a reset if what it has was not read
        incoming.drain();
        readiness().close(inUse);
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    // ---- for those who look

    /** What has become of a connection that is not accelerated. */
    ConnectionState kernelState() {
        if (closed) {
            return ConnectionState.CLOSING;
        }
        return anchor.isConnected() ? ConnectionState.ESTABLISHED : ConnectionState.CONNECTING;
    }

    SocketAddress observedLocal() {
        return anchor.local();
    }

    SocketAddress observedRemote() {
        return anchor.remote();
    }
}
