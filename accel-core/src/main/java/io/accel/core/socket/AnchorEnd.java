package io.accel.core.socket;

import io.accel.core.daemon.Log;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;

/**
 * How the kernel's connection under a stream ends, so that the peer sees one end. It is the adapter's to close. Where the peer may lack
 * some of what was sent, this keeps the connection by a descriptor of its own, which lives on after the adapter's close ({@link
 * LingeringClose}).
 */
final class AnchorEnd {
    private static final Log LOG = Log.of(AnchorEnd.class);

    private final StreamSocket socket;
    /** The adapter's. */
    private final Anchor anchor;
    /**
     * The same connection once the adapter has closed its own, or is about to, and this goes on; otherwise null. Written once, by the
     * closer; any thread reads it.
     */
    private volatile Anchor kept;

    AnchorEnd(StreamSocket socket, Anchor anchor) {
        this.socket = socket;
        this.anchor = anchor;
    }

    /** The kernel's connection as it can be used now. */
    Anchor current() {
        Anchor own = kept;
        return own != null ? own : anchor;
    }

    /** The connection that was {@linkplain #keep kept}; null if none was. */
    Anchor kept() {
        return kept;
    }

    /** Whether the program has closed, and what it has sent is still to come to the peer, or was. */
    boolean isKept() {
        return kept != null;
    }

    /**
     * Keeps the link and the kernel's connection for after the program's close; from now on an end of the kernel's is a reset, until all
     * is with the peer or the kernel. By the closer.
     *
     * @return false if that cannot be: all ends with the program's close
     */
    boolean keep(LinkStream stream) {
        if (!stream.hold()) {
            return false;
        }
        Anchor own = null;
        try {
            own = anchor.keep();
            if (own != null) {
                own.resetOnClose();
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "what the link loses from now on is lost", e);
            closeQuietly(own);
            own = null;
        }
        if (own == null) {
            stream.release();
            return false;
        }
        Resumption under = socket.loss().resumption();
        if (under == null) {
            kept = own;
        } else {
            synchronized (under) { // which uses the connection from call to call
                kept = own;
            }
        }
        return true;
    }

    private static void closeQuietly(Anchor own) {
        if (own != null) {
            try {
                own.close();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "closing a second descriptor of a connection failed", e);
            }
        }
    }

    /** Tells the peer up to where this end has sent over the link: it may break while the last of that, or the end, is on its way. */
    void sayFarewell(LinkStream stream) {
        ByteBuffer farewell = stream.broken().farewell();
        try {
            if (farewell != null && !socket.outgoing().say(farewell)) {
                LOG.get().log(Level.DEBUG, "{0} will not know what was sent if the link breaks now", anchor.remote());
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the peer has closed, and reads no more", e);
        }
    }

    /** Ends what is sent through the kernel, as the program wants it. */
    void endOutput() {
        endOutput(anchor);
    }

    /** As {@link #endOutput()}, of a connection that may never have had a link. */
    static void endOutput(Anchor anchor) {
        end(anchor, false);
    }

    /** Has the close of the kernel's connection be a reset. */
    void reset() {
        end(anchor, true);
    }

    private static void end(Anchor anchor, boolean reset) {
        if (!anchor.isConnected()) {
            return;
        }
        try {
            if (reset) {
                anchor.resetOnClose();
            } else {
                anchor.shutdownOutput();
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "ending a connection before its close failed; the peer has ended it before", e);
        }
    }
}
