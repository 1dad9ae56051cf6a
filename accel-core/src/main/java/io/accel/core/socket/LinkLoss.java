// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Deals with a connection whose link has broken, or carries impossible values. Either the connection goes on through the kernel, which
 * {@link Resumption} sees to, or it is reset. A reset shows as the end of the kernel's connection, which every thread that waits there
 * hears.
 *
 * <p>{@link StreamUpgrades}' thread decides. The methods that readers and writers call say so.
 */
final class LinkLoss {
    private static final Log LOG = Log.of(LinkLoss.class);

    private final StreamSocket socket;
    /**
     * Whether the link broke with bytes that only it had, or a reset that the kernel reported must still be told. Set once, by any thread.
     */
    private volatile boolean cutOff;
    /** Whether bytes that the peer sent over a link may be missing. Set once, by {@link AnchorWatch}'s thread. */
    private volatile boolean lacking;
    /**
     * The message of a failure, other than a reset, that the kernel has reported to Accel and that nobody else has been told; null if there is
     * none. Any thread sets it; the thread that tells the program takes it, by compare-and-set. It guards no other memory.
     */
    private final AtomicReference<String> kept = new AtomicReference<>();
    /** The resumption of the connection after its link has broken; null if no link has. Guarded by this. */
    private Resumption resumption;
    /** Held while {@link #send} may be told of a reset that is not in {@link #cutOff} yet. No other lock is taken under it. */
    private final Object sending = new Object();

    LinkLoss(StreamSocket socket) {
        this.socket = socket;
    }

    /**
     * Begins to deal with a broken link.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return the resumption of the connection through the kernel; null if it does not go on, or had nothing over the link
     */
    Resumption begin(long now) {
        LinkStream stream = socket.attached();
        if (stream != null && stream.broken().hearAbandoned()) {
            return null; // nothing that it may lack would come by the kernel
        }
        if (stream != null
                && !stream.retirement().hasSaidRetired()
                && stream.broken().isUndecided()) {
            synchronized (this) {
                if (!socket.isClosed()) { // a close that comes now finds the resumption
                    resumption = new Resumption(socket, stream, now);
                    return resumption;
                }
            }
        }
        cutOff();
        return null;
    }

    /** The resumption of a connection whose link has broken, perhaps before the program closed. By {@link LingeringClose}'s thread. */
    synchronized Resumption afterClose() {
        if (resumption == null) {
            resumption = new Resumption(socket, socket.attached(), System.nanoTime());
        }
        return resumption;
    }

    /** The resumption of the connection after its link has broken; null if no link has. */
    synchronized Resumption resumption() {
        return resumption;
    }

    /** Forgets the broken link: the connection has another, or none. */
    synchronized void forget() {
        resumption = null;
    }

    /**
     * Resets the connection, since bytes are lost with the link.
     *
     * @param why the reason in words
     * @param told whether the peer has been told, and will not take the end of the kernel's connection for an orderly one
     */
    void lost(String why, boolean told) {
        LOG.get()
                .log(
                        Level.INFO,
                        "accel: the connection to {0} is reset with its link: {1}",
                        socket.anchor().remote(),
                        why);
        LinkStream stream = socket.attached();
        if (stream != null) {
            stream.broken().decide(Link.RST);
        }
        cutOff(told);
    }

    /**
     * Cuts a connection off whose link has {@linkplain LinkFailure failed}: a thread that waits on the kernel's path hears that from the end
     * of the kernel's connection.
     *
     * @param told as with {@link #lost}
     */
    void failed(boolean told) {
        if (!socket.isClosed()) {
            cutOffAnchor(told && socket.outgoing().isUnfollowed());
        }
    }

    /** Takes note that the connection goes on without the link. */
    void resumed() {
        socket.handover().resumed();
        LinkStream stream = socket.attached();
        if (stream != null) {
            stream.broken().resumed(); // the link is let go of when the program has read its bytes
        }
        socket.readiness().refresh();
    }

    /**
     * Cuts a connection off from its broken link. A connection with no bytes in the link goes on. Any other has ended: a thread that waits
     * on the kernel's path hears that from the end of the kernel's connection.
     */
    void cutOff() {
        cutOff(true);
    }

    private void cutOff(boolean told) {
        if (!socket.isClosed() && socket.hasBytesInLink()) {
            cutOffAnchor(told && socket.outgoing().isUnfollowed());
        }
    }

    private void cutOffAnchor(boolean writersToo) {
        cutOff = true;
        Anchor anchor = socket.adaptersAnchor();
        try {
            anchor.shutdownInput();
            if (writersToo) {
                anchor.shutdownOutput(); // a thread that writes to the kernel from now on is told as well
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the reader has met its end already", e);
        }
    }

    /**
     * Gives up a link whose peer has published impossible values, so that nobody knows where its bytes stand. The peer is told, and so are
     * the threads that go on reading here; they would otherwise wait for the kernel. In the reading half of the kernel's path.
     */
    void condemn(LinkStream stream) {
        stream.peer().say(Link.RST);
        cutOffAnchor(false);
    }

    /**
     * Sends a few bytes over the anchor that are not the program's, as {@link Anchor#send} does. The kernel reports a failure once, and
     * chooses whom it tells: behind the peer's end no reader. So a failure that is there already is left to it. If it comes just now, and is
     * reported here, it is kept for the program. Any thread.
     *
     * @param bytes as there
     * @return as there
     * @throws IOException as there; or if the connection has failed, and nothing was sent
     */
    int send(ByteBuffer bytes) throws IOException {
        synchronized (sending) {
            leaveFailure();
            try {
                return socket.anchor().send(bytes);
            } catch (IOException e) {
                keep(e);
                throw e;
            }
        }
    }

    /** Takes note whether the peer's end has come, which costs a system call, and fails if the connection has. */
    private void leaveFailure() throws IOException {
        if (!socket.anchor().hasEnded()) {
            return; // what has failed has ended as well
        }
        if (socket.findFailed()) {
            throw new IOException("the TCP connection has failed");
        }
        socket.incoming().endHasCome();
    }

    /**
     * Keeps a failure that the kernel has reported, since the program must still be told of it. What the kernel goes on to report, or a close
     * of this end, is not kept. Any thread.
     */
    void keep(IOException e) {
        socket.met(e);
        if (Incoming.isReset(e)) {
            keepReset();
        } else if (!(e instanceof ClosedChannelException)
                && e.getMessage() != null
                && !Outgoing.isBrokenPipe(e)
                && !socket.isClosed()) {
            boolean unused = kept.compareAndSet(null, e.getMessage());
        }
    }

    /** Whether a failure is {@linkplain #keep kept}, other than a reset. Any thread. */
    boolean hasKept() {
        return kept.get() != null;
    }

    /**
     * Tells the program of the failure that was {@linkplain #keep kept}, if there is one that is no reset. The first to ask is told, as by
     * the kernel. Any thread.
     *
     * @throws IOException that failure
     */
    void failIfKept() throws IOException {
        String message = hasKept() ? kept.getAndSet(null) : null;
        if (message != null) {
            throw new IOException(message);
        }
    }

    /** Keeps a reset that the kernel has reported, since the program must still be told of it. Any thread. */
    private void keepReset() {
        cutOff = true;
        LinkStream stream = socket.attached();
        if (stream != null) {
            stream.reader().peerReset().isOwedToWriter();
        }
    }

    /**
     * Takes note that bytes of the peer may be missing that it sent over the link. What comes through the kernel behind the link is nobody's
     * then, and its end must not pass for that of the stream. Before the reader leaves the link.
     */
    void mayLackBytes() {
        lacking = true;
        cutOff = true;
    }

    /** Whether bytes may be missing that the peer sent over the link. */
    boolean isLackingBytes() {
        return lacking;
    }

    /**
     * Whether the end of the kernel's bytes is not the end of the stream: the connection broke with its link, or it was reset. Any thread.
     */
    boolean isCutOff() {
        return cutOff;
    }

    /**
     * As {@link #isCutOff}, for a reader that has just met the end of the kernel's bytes. If {@link #send} has been told of a reset, the
     * kernel shows the reader an end instead, before {@code send} has kept the reset. So the reader waits for it, which takes no longer
     * than a system call.
     */
    boolean isCutOffAtEnd() {
        synchronized (sending) {
            return cutOff;
        }
    }
}
