// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;

/**
 * The byte over the anchor that tells the peer that this direction has switched to the link. The peer recognises the announcement because
 * it finds the place of the switch in the link. So the byte is sent only when the first bytes published have arrived there.
 *
 * <p>A writer makes the announcement, in its half. If that is too early, or the kernel has no room, {@link StreamUpgrades}' thread makes it
 * later, so that no thread waits.
 */
final class Announcement {
    private static final Log LOG = Log.of(Announcement.class);
    private static final ByteBuffer BYTE = ByteBuffer.allocateDirect(1);

    private final LinkStream stream;
    private final StreamSocket socket;
    /**
     * Whether the anchor has taken the byte. Set by the sending thread; cleared in the writing half, before the next switch. Any thread
     * reads it.
     */
    private volatile boolean made;

    Announcement(LinkStream stream) {
        this.stream = stream;
        this.socket = stream.socket();
    }

    /** Whether the peer has been told that this direction has switched. */
    boolean isMade() {
        return made;
    }

    /** Takes note that this direction comes to the link, and that the peer has yet to be told. In the writing half only. */
    void isDue() {
        made = false;
    }

    /**
     * Tells the peer now, or as soon as possible. In the writing half only.
     *
     * @throws IOException if an interrupt has closed the connection
     */
    void make() throws IOException {
        stream.link().signal(Link.SWITCHED);
        try {
            if (hasArrived() && send()) {
                return;
            }
        } catch (IOException e) {
            if (e instanceof ClosedByInterruptException
                    || (e instanceof ClosedChannelException && !socket.isClosed())) {
                throw e; // by an interrupt, perhaps of another thread: the program hears of it
            }
            LOG.get().log(Level.DEBUG, "the peer has closed and is told of no switch", e);
            return;
        }
        StreamUpgrades.get().announceLater(this);
    }

    /** Ends the connection if that meets an error. */
    LinkFailure failure() {
        return stream.failure();
    }

    /** Tells the peer if that is possible now. Returns false if this must be tried again. */
    boolean makeLater() {
        if (stream.isClosed()) {
            return true;
        }
        try {
            return hasArrived() ? send() : stream.peer().isCutOff();
        } catch (IOException e) {
            return true; // the anchor has ended, and the peer hears that, too
        }
    }

    /** Whether the peer can see the first bytes published. */
    private boolean hasArrived() {
        try (LinkLease.Share share = stream.lease().take()) {
            return share == null || stream.link().hasArrived();
        }
    }

    /** Sends the byte. Returns false if there is no room for it. */
    private boolean send() throws IOException {
        boolean sent = socket.loss().send(BYTE.duplicate()) > 0;
        if (sent) {
            made = true;
        }
        return sent;
    }
}
