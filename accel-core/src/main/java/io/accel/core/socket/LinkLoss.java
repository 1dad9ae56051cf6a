package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.lang.System.Logger.Level;

/**
 * What becomes of a connection whose link has broken, or has said what cannot be: it goes on through the kernel, which {@link
 * Resumption} sees to, or it is reset. A reset is told by the end of the kernel's connection, which whoever waits there hears.
 *
 * <p>{@link StreamUpgrades}' thread decides; what readers and writers call says so.
 */
final class LinkLoss {
    private static final Log LOG = Log.of(LinkLoss.class);

    private final StreamSocket socket;
    /** Whether the link broke with bytes that only it had, or the kernel's reset is yet to be told. Set once, by any thread. */
    private volatile boolean cutOff;
    /** How the connection goes on whose link has broken; null if none has. Guarded by this. */
    private Resumption resumption;

    LinkLoss(StreamSocket socket) {
        this.socket = socket;
    }

    /**
     * The link has broken.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return how the connection goes on through the kernel; null if it does not, or had nothing over the link
     */
    Resumption begin(long now) {
        LinkStream stream = socket.attached();
        if (stream != null
                && !stream.retirement().hasSaidRetired()
                && stream.broken().isUndecided()) {
            synchronized (this) {
                if (!socket.isClosed()) { // a close that comes now finds it
                    resumption = new Resumption(socket, stream, now);
                    return resumption;
                }
            }
        }
        cutOff();
        return null;
    }

    /** How a connection goes on whose link has broken, perhaps before the program closed. By {@link LingeringClose}'s thread. */
    synchronized Resumption afterClose() {
        if (resumption == null) {
            resumption = new Resumption(socket, socket.attached(), System.nanoTime());
        }
        return resumption;
    }

    /** How the connection goes on whose link has broken; null if none has. */
    synchronized Resumption resumption() {
        return resumption;
    }

    /** The connection has another link, or none. */
    synchronized void forget() {
        resumption = null;
    }

    /**
     * Bytes are lost with the link.
     *
     * @param why in words
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

    /** The connection goes on without the link. */
    void resumed() {
        socket.handover().resumed();
        LinkStream stream = socket.attached();
        if (stream != null) {
            stream.broken().resumed(); // and is let go of when the program has read what came by it
        }
        socket.readiness().refresh();
    }

    /**
     * The link has broken. A connection of which nothing goes by it goes on. Any other has ended: whoever waits for the kernel's half of
     * it hears that by the end of the kernel's connection.
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
                anchor.shutdownOutput(); // whoever writes to the kernel since then is told as well
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "whoever read from it has met its end already", e);
        }
    }

    /**
     * The peer has said over the link what cannot be: where its bytes stand nobody knows any more. It is told, and so are those who go on
     * reading here, who would wait for the kernel otherwise. In the reading half of the kernel's path.
     */
    void condemn(LinkStream stream) {
        stream.peer().say(Link.RST);
        cutOffAnchor(false);
    }

    /** The kernel has reported a reset, of which the program is yet to be told. Any thread. */
    void keepReset() {
        cutOff = true;
        LinkStream stream = socket.attached();
        if (stream != null) {
            stream.reader().peerReset().isOwedToWriter();
        }
    }

    /**
     * Whether the end of the kernel's bytes is no end of the stream: the link broke, and with it the connection, or it was reset. Any
     * thread.
     */
    boolean isCutOff() {
        return cutOff;
    }
}
