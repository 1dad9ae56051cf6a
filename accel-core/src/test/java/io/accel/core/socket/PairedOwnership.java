// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Ownership;
import io.accel.core.fabric.OwnershipSecrets;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** What proves the ends of two {@link FaultyLink}s to each other, or a stranger who has the other link. Thread-safe. */
final class PairedOwnership implements Ownership {
    /** Who has the other end of the link. */
    enum Peer {
        ITSELF,
        /** Says at random places that a record is there, and never has the secrets. */
        STRANGER
    }

    private final OwnershipSecrets secrets;
    private final Peer peer;
    private final boolean leads;

    private volatile PairedOwnership other;
    private volatile boolean proved;
    private volatile long place = NOWHERE;
    private volatile long arrivesAt;
    private volatile byte[] returned;
    /** Whether the peer sees the places told, and this end never learns that it does. */
    volatile boolean isUnacknowledged;
    /** Whether places told from now on do not arrive. */
    volatile boolean isLate;
    /** The number of times that a record was handed out, to be sent at once if the kernel has room. */
    final AtomicInteger records = new AtomicInteger();
    /** The number of times that the peer's record was found. */
    final AtomicInteger found = new AtomicInteger();

    PairedOwnership(byte[] key, boolean isClient, Peer peer, boolean leads) {
        this.secrets = new OwnershipSecrets(key, isClient);
        this.peer = peer;
        this.leads = leads;
    }

    void pairWith(PairedOwnership that) {
        other = that;
    }

    @Override
    public boolean isProved() {
        byte[] secret = returned;
        proved |= secret != null && secrets.isReturned(secret);
        return proved;
    }

    @Override
    public boolean mayLead() {
        return leads;
    }

    @Override
    public ByteBuffer record() {
        records.incrementAndGet();
        return secrets.record();
    }

    @Override
    public void place(long at) {
        if (isLate) {
            return;
        }
        place = at;
        arrivesAt = System.nanoTime() + ThreadLocalRandom.current().nextInt(100_000);
    }

    private boolean hasPlaced() {
        return place >= 0 && System.nanoTime() - arrivesAt >= 0;
    }

    @Override
    public boolean isPlaced() {
        return hasPlaced() && !isUnacknowledged;
    }

    @Override
    public long peersPlace() {
        PairedOwnership that = other;
        if (peer == Peer.STRANGER) {
            return ThreadLocalRandom.current().nextInt(1 << 16);
        }
        return that == null || !that.hasPlaced() ? NOWHERE : that.place;
    }

    @Override
    public boolean mayBePeers(ByteBuffer bytes) {
        return secrets.mayBePeers(bytes);
    }

    @Override
    public void found(ByteBuffer record) {
        found.incrementAndGet();
        proved = true;
        PairedOwnership that = other;
        if (that != null) {
            that.returned = OwnershipSecrets.secretIn(record);
        }
    }
}
