package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;

/**
 * The byte over the anchor by which the peer hears that this direction has switched to the link. The peer takes it for the announcement
 * because it finds in the link where the switch is. So the byte is sent only when what was published first has arrived there.
 *
 * <p>A writer makes the announcement, in its half. Where that is too early, or the kernel has no room, {@link StreamUpgrades}' thread
 * makes it later, so that nobody waits.
 */
final class Announcement {
    private static final Log LOG = Log.of(Announcement.class);
    private static final ByteBuffer BYTE = ByteBuffer.allocateDirect(1);

    private final LinkStream stream;
    private final StreamSocket socket;
    /**
     * Whether the anchor has taken the byte. Set by the thread that has sent it; cleared in the writing half, before the next switch. Any thread
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

    /** This direction comes to the link, and the peer is still to be told. In the writing half only. */
    void isDue() {
        made = false;
    }

    /**
     * Tells the peer now, or has it told as soon as it can be. In the writing half only.
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
                throw e; // by an interrupt, if need be another thread's: the program hears of it
            }
            LOG.get().log(Level.DEBUG, "the peer has closed and is told of no switch", e);
            return;
        }
        StreamUpgrades.get().announceLater(this);
    }

    /** Tells the peer if that can be now. Returns false if it is to be tried again. */
    boolean makeLater() {
        if (stream.isClosed()) {
            return true;
        }
        try {
            return hasArrived() ? send() : stream.peer().isCutOff();
        } catch (IOException e) {
            return true; // the anchor has ended, which the peer hears, too
        }
    }

    /** Whether the peer can see what was published first. */
    private boolean hasArrived() {
        try (LinkLease.Share share = stream.lease().take()) {
            return share == null || stream.link().hasArrived();
        }
    }

    /** Returns false if there is no room for it. */
    private boolean send() throws IOException {
        try {
            boolean sent = socket.anchor().send(BYTE.duplicate()) > 0;
            if (sent) {
                made = true;
            }
            return sent;
        } catch (IOException e) {
            if (Outgoing.isReset(e)) {
                socket.loss().keepReset();
            }
            throw e;
        }
    }
}
