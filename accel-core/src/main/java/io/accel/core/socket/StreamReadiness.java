// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.poll.Pollable;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The readiness of a stream for reading and writing, which pollers wait for. The anchor tells it for a direction on the kernel's path, the
 * link's memory for a direction on the link. Each registration has a share in the link, and beside it, in its poller, the link's doorbell.
 *
 * <p>Any thread.
 */
public final class StreamReadiness implements Pollable {
    private static final Log LOG = Log.of(StreamReadiness.class);
    private static final int BY_READING = SelectionKey.OP_READ | END;
    private static final int BY_WRITING = SelectionKey.OP_WRITE | SENT;

    private final StreamSocket socket;
    private final Anchor anchor;
    private final Incoming incoming;
    private final Outgoing outgoing;
    private final Shares shares = new Shares();
    /** The registrations that have a doorbell beside them; null for none. Written and used under this monitor. */
    private volatile List<Registration> ringing;

    StreamReadiness(StreamSocket socket, Anchor anchor) {
        this.socket = socket;
        this.anchor = anchor;
        this.incoming = socket.incoming();
        this.outgoing = socket.outgoing();
    }

    // ---- registrations

    /** Gives all registrations their share in a new link. In the monitor of {@link StreamHandover}. */
    void establish(LinkStream stream) {
        shares.establish(stream.lease());
    }

    /** Takes note that the socket no longer has its link. In the monitor of {@link StreamHandover}. */
    void letGo(LinkStream stream) {
        synchronized (this) {
            ringing = null;
        }
        shares.letGo(stream.lease());
    }

    /** Adds the link's doorbell beside all present registrations; later ones do so themselves. */
    void ringBesideAll() {
        for (Registration registration : shares.all()) {
            ringBeside(registration);
        }
    }

    private void ringBeside(Registration registration) {
        LinkStream stream = socket.attached();
        synchronized (this) {
            if (stream == null
                    || stream != socket.attached()
                    || !shares.has(registration)
                    || (ringing != null && ringing.contains(registration))) {
                return; // or the link has been given back meanwhile, and is freed
            }
            List<Registration> others = ringing == null ? new ArrayList<>(1) : ringing;
            others.add(registration);
            ringing = others;
        }
        try {
            Registration doorbell = registration.alongside(new LinkDoorbell(stream));
            if (!shares.has(registration)) {
                doorbell.close(); // the registration ended while this doorbell came
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "closed while its doorbell was hung up", e);
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                if (ringing != null) {
                    ringing.remove(registration);
                }
            }
            if (stream.isStray(e)) {
                throw e;
            }
            stream.failure().met(e);
        }
    }

    /** Makes every poller look. */
    void refresh() {
        shares.refresh();
    }

    int registrations() {
        return shares.size();
    }

    /**
     * Stands for the thread that waits for the connection: its poller, or the connection alone if it is in blocking mode, where any
     * thread may come. Null if a poller will be known only later.
     */
    Object waiter() {
        List<Registration> present = shares.all();
        if (!present.isEmpty()) {
            return present.get(0).waiter();
        }
        return anchor.watched() == null ? socket : null;
    }

    /**
     * Ends the registrations that a predicate picks; their keys with the kernel's channel end at once.
     *
     * @param over decides by the attachment whether a registration has ended
     */
    public void endRegistrations(Predicate<Object> over) {
        shares.end(over);
    }

    /** Ends all registrations; see {@link Shares#close}. */
    void close(boolean inUse) {
        shares.close(inUse);
    }

    @Override
    public boolean retained(Registration registration) {
        if (!shares.addToFailed(registration)) {
            return false;
        }
        boolean isRung = false;
        try {
            if (socket.attached() != null) {
                ringBeside(registration);
            }
            isRung = true;
        } finally {
            if (!isRung) {
                shares.remove(registration); // nobody hears of the registration
            }
        }
        return true;
    }

    @Override
    public void refreshed(Registration registration) {
        shares.passed(registration);
    }

    @Override
    public void released(Registration registration) {
        LinkStream stream = socket.attached();
        try {
            if (ringing != null) { // one added meanwhile finds that it has no share, and its doorbell is let go
                synchronized (this) {
                    if (ringing != null) {
                        ringing.remove(registration);
                    }
                }
            }
            if (stream != null) {
                stream.stopRinging(registration);
            }
        } finally {
            shares.release(registration);
        }
    }

    // ---- what is ready

    @Override
    public SelectableChannel watched() {
        return anchor.watched();
    }

    @Override
    public int watchedOps(int interest) {
        int ops = 0;
        if (incoming.link() == null) {
            ops = interest & SelectionKey.OP_READ;
            ops |= (interest & END) != 0 ? SelectionKey.OP_READ : 0;
        } else if (incoming.isAnnouncementDue()) {
            ops = SelectionKey.OP_READ;
        }
        if (outgoing.link() == null) {
            ops |= interest & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
        }
        return ops;
    }

    @Override
    public boolean isKernels() {
        return socket.attached() == null && !shares.hasFormer();
    }

    @Override
    public boolean isPolled() {
        return incoming.link() != null || outgoing.link() != null || incoming.hasAside();
    }

    @Override
    public boolean isRemote() {
        LinkStream in = incoming.link();
        return in != null && in.isRemote();
    }

    @Override
    public int look(int interest) {
        LinkStream in = incoming.link();
        LinkStream out = outgoing.link();
        if (in == null) {
            return lookAtOutgoing(out, interest);
        }
        return in.lookForPoller(out != null ? interest : interest & BY_READING);
    }

    private int lookAtOutgoing(LinkStream out, int interest) {
        int ready = incoming.hasAside() ? interest & SelectionKey.OP_READ : 0;
        return out != null ? ready | out.look(interest & BY_WRITING) : ready;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        boolean readable = (watchedReady & SelectionKey.OP_READ) != 0;
        if (readable && incoming.link() == null && outgoing.mayGoByLink()) {
            // Only the kernel's direction shows that the connection has failed: a write behind that must not be taken.
            // The look is a system call for each report while the two directions go different ways.
            socket.leaveIfFailed();
        }
        int ready = 0;
        if (incoming.link() == null) {
            ready = readable && incoming.isReadable() ? interest & BY_READING : 0;
        } else if (readable) {
            incoming.drain(); // it may not be there yet: the ready bytes may have preceded it
        }
        if (outgoing.link() == null) {
            ready |= interest & watchedReady & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
        }
        return ready;
    }

    @Override
    public void arm(int interest) {
        LinkStream in = incoming.link();
        LinkStream out = outgoing.link();
        int what = (in != null ? interest & BY_READING : 0) | (out != null ? interest & BY_WRITING : 0);
        if (what != 0) {
            (in != null ? in : out).arm(what);
        }
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean failed(Throwable e) {
        LinkStream stream = socket.attached();
        return stream != null && stream.failed(e);
    }

    @Override
    public boolean isIntact() {
        LinkStream stream = socket.attached();
        return stream == null || stream.isIntact();
    }
}
