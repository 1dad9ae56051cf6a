// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Ownership;
import java.util.ArrayList;
import java.util.List;

/**
 * The records of {@link Ownership} that a peer may send over the anchor. A record of a link that is gone may still come: the peer has sent
 * it, and the program has not read so far. Made anew for each link.
 *
 * <p>Immutable but for the mark that a place is done, which is in the half of {@link Incoming}.
 */
final class PeerRecords {
    /** A link's record. */
    static final class Expected {
        private final Ownership of;
        /** The last place where bytes were compared, found to be the record or not. Written in the half of {@link Incoming}. */
        private volatile long done = Ownership.NOWHERE;

        Expected(Ownership of) {
            this.of = of;
        }

        Ownership of() {
            return of;
        }

        /**
         * Where it stands, if no bytes were compared so far; otherwise {@link Ownership#NOWHERE}. A peer may say another place at any
         * moment, so the answer is to be used, and not asked for again.
         */
        long place() {
            long at = of.peersPlace();
            return at > done ? at : Ownership.NOWHERE;
        }

        /** Takes note that the bytes at a place were compared. */
        void doneAt(long at) {
            done = at;
        }
    }

    private final List<Expected> all;

    private PeerRecords(List<Expected> all) {
        this.all = all;
    }

    /**
     * Expects the record of a new link, and the earlier ones that may still come.
     *
     * @param earlier null if there were none
     * @param taken how many bytes the program has read
     */
    static PeerRecords with(Ownership ownership, PeerRecords earlier, long taken) {
        List<Expected> all = new ArrayList<>(1);
        if (earlier != null) {
            for (Expected each : earlier.all) {
                if (each.place() >= taken) {
                    all.add(each);
                }
            }
        }
        all.add(new Expected(ownership));
        return new PeerRecords(all);
    }

    /** The records, of the oldest link first, which is also their order in the stream. */
    List<Expected> all() {
        return all;
    }

    /**
     * Whether a record may come behind a byte, at a place that need not be known yet.
     *
     * @param position the number of bytes before
     */
    boolean mayCome(long position) {
        for (Expected each : all) {
            if (!each.of.isProved() || each.place() >= position) {
                return true;
            }
        }
        return false;
    }

    /**
     * The first place at or behind a byte where a record may stand; {@link Ownership#NOWHERE}.
     *
     * @param position the number of bytes before
     */
    long next(long position) {
        for (Expected each : all) {
            long at = each.place();
            if (at >= position) {
                return at;
            }
        }
        return Ownership.NOWHERE;
    }
}
