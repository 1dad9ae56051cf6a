// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.observe.Flight;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.observe.Unlisted;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Registration;
import io.accel.profile.Role;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.function.Predicate;

/**
 * A stream as long as nobody can ask for a link: the kernel's connection, and the counts on which both ends must agree when bytes move. Most
 * connections end before anything else is needed, and what a link needs is ten times as much. So a {@link StreamSocket} is made of this when
 * the connection is used for longer, or when its peer, or somebody who looks at the connection, may ask.
 *
 * <p>The adapter reads and writes the kernel's connection between {@link #beginRead} and {@link #endRead}, {@link #beginWrite} and {@link
 * #endWrite}. An operation that is under way when the socket is made {@linkplain Incoming#adopt enters} its half when it is over, and keeps
 * others out until then.
 *
 * <p>This is the {@link Pollable} of the stream all its life, and hands on what it is asked when there is a socket.
 *
 * <p>Any thread. The monitor is held for a few instructions, or for the making of the socket, and never in a system call that waits.
 */
public final class PlainStream implements Pollable {
    private final Accelerator accelerator;
    private final Anchor anchor;

    /** Null as long as nobody can ask for a link. Written once, in the monitor; any thread reads it. */
    private volatile StreamSocket socket;

    // All that follows is guarded by this, and of no use when there is a socket.

    /** The listener that has accepted the connection; null for a client. */
    private StreamListener listener;
    /** Whether there is a connection. */
    private boolean connected;

    private boolean closed;
    private boolean reading;
    private boolean writing;
    /** Whether a read has met the end. */
    private boolean ended;

    private int reads;
    private int writes;
    /** The number of bytes that were read. */
    private long taken;
    /** The number of bytes that were written. */
    private long given;
    /** The only registration; null if there is none. A second makes the socket. */
    private Registration only;

    /**
     * A stream that is not connected.
     *
     * @param accelerator the profile at work
     * @param anchor the kernel's connection, or a socket that will be one; the caller owns it
     */
    public PlainStream(Accelerator accelerator, Anchor anchor) {
        this.accelerator = accelerator;
        this.anchor = anchor;
        if (!accelerator.startsPlain() || anchor.isUnix()) {
            this.socket = new StreamSocket(accelerator, anchor);
        }
    }

    /** A stream that a listener has accepted. */
    PlainStream(Accelerator accelerator, Anchor anchor, StreamListener listener) {
        this.accelerator = accelerator;
        this.anchor = anchor;
        // The address is asked for last: most that are not plain never need it here.
        if (accelerator.startsPlain() && !accelerator.acceptedStreams().isAsked() && staysPlain(anchor.local())) {
            this.listener = listener;
            this.connected = true;
            listener.oneMoreUndecided();
            Unlisted.more();
        } else {
            this.socket = listener.accepted(anchor);
        }
    }

    // ---- its socket

    /** The socket; null if there is none so far. */
    public StreamSocket socketOrNull() {
        return socket;
    }

    /** The socket, which this makes if there is none so far. */
    public StreamSocket socket() {
        StreamSocket made = socket;
        return made == null ? makeSocket() : made;
    }

    private synchronized StreamSocket makeSocket() {
        if (socket == null) {
            StreamSocket made = new StreamSocket(accelerator, anchor);
            made.incoming().goOn(taken, reads, reading, ended);
            made.outgoing().goOn(given, writes, writing);
            if (closed) {
                made.close(true, false); // which only takes note of it
            } else if (connected) {
                begin(made);
                Unlisted.less();
            }
            if (only != null) {
                boolean unused = made.readiness().retained(only);
                only = null;
            }
            socket = made;
        }
        return socket;
    }

    private void begin(StreamSocket made) {
        if (listener == null) {
            try {
                made.connected();
            } catch (IOException e) {
                throw new IllegalStateException(
                        e); // only where a fall-back is a failure, and then there is nothing plain
            }
        } else {
            anchor.accepted(made);
            made.accepted(listener);
            listener.oneLessToMove(); // counted twice
        }
    }

    /** Whether a connection that has begun without a socket may go on so. Where first bytes are compared, both ends must see them from the first on. */
    private boolean staysPlain(InetSocketAddress server) {
        return server != null && server.getAddress().isLoopbackAddress() && !Unlisted.areObserved() && !Flight.isOn();
    }

    /** Whether the peer, this end or somebody who looks may ask for what only a socket has. In the monitor. */
    private boolean isDue() {
        return accelerator.maySoonMove(reads + writes, taken + given)
                || Unlisted.areObserved()
                || (listener != null && accelerator.acceptedStreams().isAsked());
    }

    /**
     * Makes the socket at the end of an operation with which the connection has become worth a link. That must not fail, since its bytes have
     * moved. If it cannot be done, for want of memory, the next operation meets the reason before it moves a byte.
     */
    private void grow() {
        try {
            makeSocket().handover().noteTraffic();
        } catch (RuntimeException | Error e) {
            Errors.SEEN.warn("a connection could not be prepared for a link, and stays with the kernel for now", e);
        }
    }

    /** Apart, so that nothing is made before there is an error. */
    private static final class Errors {
        static final Warnings SEEN = new Warnings(Log.of(PlainStream.class));

        private Errors() {}
    }

    // ---- its life

    /**
     * Takes note that the adapter has connected the anchor.
     *
     * @throws ConnectException if the connection gets no link, and {@code fallback=fail}
     * @throws IOException for no other reason
     */
    public void connected() throws IOException {
        StreamSocket made = socket;
        if (made == null) {
            InetSocketAddress remote = anchor.remote();
            synchronized (this) {
                made = socket;
                connected |= made == null;
            }
            if (made == null) {
                Unlisted.more();
                if (!staysPlain(remote)) {
                    StreamSocket unused = makeSocket();
                }
                return;
            }
        }
        made.connected();
    }

    /**
     * Closes the stream, if it has no socket so far; the caller then closes the anchor.
     *
     * @param aborts whether to reset
     * @param orderly whether to end in order, unless {@code aborts}, although bytes are unread; otherwise unread bytes make it a reset
     * @return the socket to close instead; null if this is closed
     */
    public StreamSocket close(boolean aborts, boolean orderly) {
        Registration last;
        boolean counted;
        synchronized (this) {
            if (socket != null) {
                return socket;
            }
            if (closed) {
                return null;
            }
            closed = true;
            last = only;
            counted = connected;
        }
        if (orderly && !aborts && !anchor.closesInOrder()) {
            boolean interrupted = Uninterrupted.begin();
            try {
                AnchorEnd.endOutput(anchor);
            } finally {
                Uninterrupted.end(interrupted);
            }
        }
        if (last != null) {
            last.closeInPoll();
        }
        if (counted) {
            count();
        }
        return null;
    }

    /** Counts it as what it was: nothing more will be. */
    private void count() {
        Unlisted.less();
        if (listener == null) {
            Unlisted.closedClient();
            return;
        }
        if (listener.isAccelerated()) {
            Unlisted.closedServer();
        } else {
            countUnserved();
        }
        listener.oneLessToMove();
    }

    /** Counts it as accepted by a listener that no fabric serves. */
    private void countUnserved() {
        FallbackReason reason = listener.unasked(false).reason();
        ProcessCounters.gotPath(Role.SERVER, PathName.KERNEL);
        if (reason != null) {
            ProcessCounters.fellBack(Role.SERVER, reason);
        }
    }

    /** As {@link StreamSocket#optionsMonitor}. */
    public Object optionsMonitor() {
        return anchor;
    }

    /** As {@link StreamSocket#waits}. */
    public BlockingWaits waits() {
        return accelerator.waits();
    }

    // ---- its bytes

    /**
     * Begins a read from the kernel.
     *
     * @return whether it has begun, and {@link #endRead} must follow; if not, the {@linkplain #socket socket} is to be used
     */
    public synchronized boolean beginRead() {
        if (socket != null || reading || isDue()) {
            return false;
        }
        reading = true;
        return true;
    }

    /**
     * Ends a read from the kernel.
     *
     * @param n how many bytes, negative for the end
     * @return whether it is accounted for; if not, there is a socket now, whose {@linkplain Incoming#adopt half} the caller is to enter
     */
    public boolean endRead(long n) {
        synchronized (this) {
            if (socket != null) {
                return false;
            }
            reading = false;
            if (n > 0) {
                taken += n;
                reads++;
            } else if (n < 0) {
                ended = true;
            }
            if (n <= 0 || !isDue()) {
                return true;
            }
        }
        grow();
        return true;
    }

    /** Ends a read that has brought nothing, because of an error. */
    public void leaveRead() {
        if (!endRead(0)) {
            Incoming in = socket.incoming();
            in.adopt();
            in.leave();
        }
    }

    /**
     * Begins a write to the kernel.
     *
     * @return as {@link #beginRead}
     */
    public synchronized boolean beginWrite() {
        if (socket != null || writing || isDue()) {
            return false;
        }
        writing = true;
        return true;
    }

    /**
     * Ends a write to the kernel.
     *
     * @param n how many bytes
     * @return as {@link #endRead}, of the other half
     */
    public boolean endWrite(long n) {
        synchronized (this) {
            if (socket != null) {
                return false;
            }
            writing = false;
            if (n <= 0) {
                return true;
            }
            given += n;
            writes++;
            if (!isDue()) {
                return true;
            }
        }
        grow();
        return true;
    }

    /** As {@link #leaveRead}, for a write. */
    public void leaveWrite() {
        if (!endWrite(0)) {
            Outgoing out = socket.outgoing();
            out.adopt();
            out.leave();
        }
    }

    // ---- its readiness

    private StreamReadiness readiness() {
        StreamSocket made = socket;
        return made == null ? null : made.readiness();
    }

    /**
     * As {@link StreamReadiness#endRegistrations}, if there are any.
     *
     * @param over decides by the attachment whether a registration has ended
     */
    public void endRegistrations(Predicate<Object> over) {
        Registration last;
        synchronized (this) {
            last = only;
        }
        if (last != null && over.test(last.attachment())) {
            last.close();
        }
        StreamSocket made = socket;
        if (made != null) {
            made.endRegistrations(over);
        }
    }

    @Override
    public boolean retained(Registration registration) {
        synchronized (this) {
            if (socket == null && only == null) {
                only = closed ? null : registration;
                return !closed;
            }
        }
        return socket().readiness().retained(registration);
    }

    @Override
    public void released(Registration registration) {
        synchronized (this) {
            if (socket == null) {
                only = only == registration ? null : only;
                return;
            }
        }
        socket.readiness().released(registration);
    }

    @Override
    public SelectableChannel watched() {
        return anchor.watched();
    }

    @Override
    public int watchedOps(int interest) {
        StreamReadiness asked = readiness();
        return asked != null ? asked.watchedOps(interest) : kernelOps(interest);
    }

    private static int kernelOps(int interest) {
        int ops = interest & (SelectionKey.OP_READ | SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
        return (interest & END) != 0 ? ops | SelectionKey.OP_READ : ops;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        StreamReadiness asked = readiness();
        if (asked != null) {
            return asked.kernelReady(interest, watchedReady);
        }
        int ready = interest & watchedReady & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
        return (watchedReady & SelectionKey.OP_READ) != 0 ? ready | (interest & (SelectionKey.OP_READ | END)) : ready;
    }

    @Override
    public boolean isKernels() {
        StreamReadiness asked = readiness();
        return asked == null || asked.isKernels();
    }

    @Override
    public boolean isPolled() {
        StreamReadiness asked = readiness();
        return asked != null && asked.isPolled();
    }

    @Override
    public boolean isRemote() {
        StreamReadiness asked = readiness();
        return asked != null && asked.isRemote();
    }

    @Override
    public int look(int interest) {
        StreamReadiness asked = readiness();
        return asked == null ? 0 : asked.look(interest);
    }

    @Override
    public void arm(int interest) {
        StreamReadiness asked = readiness();
        if (asked != null) {
            asked.arm(interest);
        }
    }

    @Override
    public void refreshed(Registration registration) {
        StreamReadiness asked = readiness();
        if (asked != null) {
            asked.refreshed(registration);
        }
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean failed(Throwable e) {
        StreamReadiness asked = readiness();
        return asked != null && asked.failed(e);
    }

    @Override
    public boolean isIntact() {
        StreamReadiness asked = readiness();
        return asked == null || asked.isIntact();
    }
}
