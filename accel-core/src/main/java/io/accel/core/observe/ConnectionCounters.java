// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The counters of one accelerated connection beside its cursors. Each field has one writer: the thread in the reading
 * half, or the thread in the writing half, as its name says. Others read the fields without order. Only the doorbell,
 * which takes a system call anyway, is counted atomically.
 */
@SuppressWarnings("UnusedVariable") // the fields are read through their handles
public final class ConnectionCounters {
    /** How many doorbells lie between two looks at the clock; a power of two. */
    public static final int STORM_RINGS = 1024;

    /** The time within which {@link #STORM_RINGS} doorbells are a storm. */
    static final long STORM_NANOS = 100_000_000L;

    private static final VarHandle READ_LOOKS = field("readLooks", long.class);
    private static final VarHandle READ_HITS = field("readHits", long.class);
    private static final VarHandle WRITE_LOOKS = field("writeLooks", long.class);
    private static final VarHandle WRITE_HITS = field("writeHits", long.class);
    private static final VarHandle IN_PLACE = field("inPlace", long.class);
    private static final VarHandle STALLS = field("stalls", long.class);
    private static final VarHandle STALL_NANOS = field("stallNanos", long.class);
    private static final VarHandle STALLED_SINCE = field("stalledSince", long.class);
    private static final VarHandle RINGS = field("rings", long.class);
    private static final VarHandle RESET = field("reset", boolean.class);

    // Written by the thread in the reading half.
    private long readLooks;
    private long readHits;

    // Written by the thread in the writing half.
    private long writeLooks;
    private long writeHits;
    private long inPlace;
    private long stalls;
    private long stallNanos;
    private long stalledSince;

    // Written by any thread, atomically.
    private volatile long rings;

    private volatile boolean reset;

    /**
     * The beginning of the last run of doorbells, in the nanoseconds of the clock; 0 for none. Written by the thread
     * that counts the run's last one.
     */
    private volatile long runSince;

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup()
                    .findVarHandle(ConnectionCounters.class, name, type)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * A wait without a sleep is over. By the thread in the half that waited.
     *
     * @param reading whether that is the reading half
     * @param looks how many times it looked
     * @param hit whether it found something
     */
    public void looked(boolean reading, int looks, boolean hit) {
        if (reading) {
            readLooks += looks;
            readHits += hit ? 1 : 0;
        } else {
            writeLooks += looks;
            writeHits += hit ? 1 : 0;
        }
    }

    /** Bytes are sent from where they lie. By the thread in the writing half. */
    public void sentInPlace(int bytes) {
        inPlace += bytes;
    }

    /** The sender has run out of room. By the thread in the writing half. */
    public void stallBegins() {
        stalls++;
        stalledSince = System.nanoTime() | 1;
    }

    /** The sender has room again; returns for how many nanoseconds it had none. By the thread in the writing half. */
    public long stallEnds() {
        long took = System.nanoTime() - stalledSince;
        stallNanos += took;
        stalledSince = 0;
        return took;
    }

    /** How long the sender has been without room, in nanoseconds; 0 if it has some. Any thread. */
    public long stalledFor() {
        long since = (long) STALLED_SINCE.getOpaque(this);
        return since == 0 ? 0 : Math.max(1, System.nanoTime() - since);
    }

    /**
     * The peer has rung the doorbell. Any thread.
     *
     * @param now the time, {@link System#nanoTime()}
     * @return in how many nanoseconds {@value #STORM_RINGS} doorbells came, if that was a storm; otherwise 0
     */
    public long rang(long now) {
        long count = (long) RINGS.getAndAdd(this, 1L) + 1;
        if (count != 1 && (count & (STORM_RINGS - 1)) != 0) {
            return 0;
        }
        long since = runSince;
        runSince = now | 1;
        return since != 0 && now - since < STORM_NANOS ? Math.max(1, now - since) : 0;
    }

    /** Whether this is the first report of a reset of the connection. Any thread. */
    public boolean isFirstReset() {
        return (boolean) RESET.compareAndSet(this, false, true);
    }

    /** Adds the counts to figures. Any thread. */
    public void addTo(Figures figures) {
        figures.add(Figure.LOOKS, (long) READ_LOOKS.getOpaque(this) + (long) WRITE_LOOKS.getOpaque(this))
                .add(Figure.HITS, (long) READ_HITS.getOpaque(this) + (long) WRITE_HITS.getOpaque(this))
                .add(Figure.BYTES_IN_PLACE, (long) IN_PLACE.getOpaque(this))
                .add(Figure.STALLS, (long) STALLS.getOpaque(this))
                .add(Figure.STALL_NANOS, (long) STALL_NANOS.getOpaque(this))
                .add(Figure.RINGS_IN, (long) RINGS.getOpaque(this));
    }
}
