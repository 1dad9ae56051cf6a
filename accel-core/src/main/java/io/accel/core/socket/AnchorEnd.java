// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;

/**
 * Ends the kernel's connection under a stream, so that the peer sees one end. The adapter closes the connection. If the peer may lack some
 * of the bytes sent, this keeps the connection on a descriptor of its own, which lives on after the adapter's close ({@link
 * LingeringClose}).
 */
final class AnchorEnd {
    private static final Log LOG = Log.of(AnchorEnd.class);

    private final StreamSocket socket;
    /** The anchor as the adapter passed it. */
    private final Anchor anchor;
    /**
     * The same connection on a descriptor that lives on after the adapter has closed its own, or is about to; otherwise null. Written once,
     * by the closer; any thread reads it.
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

    /** Whether the program has closed, and the connection was kept so that the bytes sent reach the peer. */
    boolean isKept() {
        return kept != null;
    }

    /**
     * Keeps the link and the kernel's connection beyond the program's close. From now on an end of the kernel's connection is a reset,
     * until the peer or the kernel has all bytes. Called by the closer.
     *
     * @return false if that is impossible: everything ends with the program's close
     */
    boolean keep(LinkStream stream) {
        if (!stream.hold()) {
            return false;
        }
        Anchor own = null;
        try {
            synchronized (anchor) { // so that a program that is just setting SO_LINGER is done, and no other comes
                own = anchor.keep();
                if (own != null) {
                    own.resetOnClose();
                }
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "bytes that the link loses from now on are lost", e);
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
            synchronized (under) { // the resumption uses the connection from call to call
                kept = own;
            }
        }
        return true;
    }

    /** Closes the connection that was kept, as a reset. Called by the closer. */
    void giveUpKept() {
        closeQuietly(kept);
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

    /** Tells the peer how far this end has sent over the link, which may break while the last bytes, or the end, are on their way. */
    void sayFarewell(LinkStream stream) {
        ByteBuffer farewell = stream.broken().farewell();
        try {
            // A peer that has been told that this direction is the kernel's again would take it for the program's
            // bytes.
            if (farewell != null && !socket.outgoing().sayFirst(farewell)) {
                LOG.get().log(Level.DEBUG, "{0} will not know what was sent if the link breaks now", anchor.remote());
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the peer has closed, and reads no more", e);
        }
    }

    /** Ends the output through the kernel, as the program wants. */
    void endOutput() {
        endOutput(anchor);
    }

    /** As {@link #endOutput()}, for a connection that may never have had a link. */
    static void endOutput(Anchor anchor) {
        end(anchor, false);
    }

    /** Makes the close of the kernel's connection a reset. */
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
