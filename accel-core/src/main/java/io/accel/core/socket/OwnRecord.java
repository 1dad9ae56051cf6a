// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Ownership;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends this end's record of {@link Ownership} over the anchor, once for a link, before the bytes of a write by the program. The peer must
 * be able to see the record's place before the record comes. So the place is told after each write, and the record goes with the next
 * write, if that begins at the place, and the peer's device has it. A write may wait a moment for that, since a program that writes
 * without a pause would never find it there.
 *
 * <p>In the half of {@link Outgoing} only.
 */
final class OwnRecord {
    private static final Log LOG = Log.of(OwnRecord.class);

    /** How many writes may wait. Later ones send the record only if the peer happens to know its place. */
    private static final int MOST_WAITS = 16;
    /** The longest wait of a non-blocking write; a device acknowledges within some microseconds. */
    private static final long SPIN_NANOS = 50_000L;
    /** The longest wait of a blocking write. */
    private static final long PATIENCE_NANOS = 2_000_000L;

    private static final long PAUSE_NANOS = 50_000L;

    private final StreamSocket socket;
    /** The ownership that the other fields are about; null at first. */
    private Ownership of;

    private long placedAt;
    private boolean sent;
    private int waits;
    private boolean endSeen;

    OwnRecord(StreamSocket socket) {
        this.socket = socket;
    }

    /** Takes note that the program has written to the kernel. */
    void wrote(Ownership ownership, long given) {
        if (isDue(ownership) && placedAt != given) {
            place(given);
        }
    }

    /** Sends the record if that is possible now. The program is about to write. */
    void send(Ownership ownership, long given) {
        if (!isDue(ownership) || Thread.currentThread().isInterrupted()) {
            return; // the interrupt would close the channel here, where nobody could report it
        }
        if (placedAt != given) {
            place(given);
        }
        if (!isPlaced()) {
            return;
        }
        ByteBuffer record = of.record();
        try {
            // A peer that has ended may answer the record with a reset, and then refuse the write that it would have
            // taken.
            if (socket.anchor().hasEnded()) {
                return;
            }
            sent = socket.loss().send(record) > 0;
            while (sent && record.hasRemaining()) { // in theory: a kernel with any room has more than that
                LockSupport.parkNanos(PAUSE_NANOS);
                int unused = socket.loss().send(record);
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the program's write meets the same", e);
        }
    }

    /**
     * Whether the kernel shows that the peer has ended, and no write has met that so far. If the peer has closed, it answers the next bytes
     * with a reset, and the program's write must be the first that it answers so: TCP accepts one. If it has only ended its output, later
     * writes are accepted, too.
     */
    boolean hasJustEnded() throws IOException {
        boolean wasSeen = endSeen;
        endSeen = wasSeen || socket.anchor().hasEnded();
        return endSeen && !wasSeen;
    }

    private boolean isDue(Ownership ownership) {
        if (ownership == null) {
            return false;
        }
        if (of != ownership) {
            of = ownership;
            placedAt = Ownership.NOWHERE;
            sent = false;
            waits = 0;
        }
        return !sent && of.mayLead() && !of.isProved();
    }

    private void place(long at) {
        placedAt = at;
        of.place(at);
    }

    private boolean isPlaced() {
        if (of.isPlaced() || waits == MOST_WAITS) {
            return of.isPlaced();
        }
        waits++;
        boolean blocks = socket.anchor().watched() == null;
        long limit = blocks ? PATIENCE_NANOS : SPIN_NANOS;
        long start = System.nanoTime();
        boolean isPlaced = false;
        while (!isPlaced && System.nanoTime() - start < limit) {
            if (blocks) {
                LockSupport.parkNanos(PAUSE_NANOS); // the device may be software that needs this processor
            } else {
                Thread.onSpinWait();
            }
            isPlaced = of.isPlaced();
        }
        return isPlaced;
    }
}
