package io.accel.core.capture;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.observe.CaptureCounters;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Segments on their way from the threads that carry bytes into a file. Any thread puts them in, without waiting; one takes them out.
 * Between them is a queue of limited bytes, and what does not fit is dropped and counted.
 */
public final class Capture {
    /** The room that {@link #take} needs. */
    public static final int MOST_BLOCK = Packets.MOST_TCP + Packets.MOST_HEADERS + Pcapng.MOST_OVERHEAD;

    private static final Warnings ERRORS = new Warnings(Log.of(Capture.class));
    private static final long MOST_QUEUED_BYTES = 32L << 20;
    /** Of the heap. */
    private static final int PART = 16;
    /** What a segment takes beside its bytes, about. */
    private static final int OVERHEAD = 128;

    /** One in the queue. */
    private record Segment(
            Packets packets, boolean out, long nanos, long sequence, long acknowledged, int flags, ByteBuffer bytes) {}

    private final Set<Integer> ports;
    private final long mostQueued =
            Math.min(MOST_QUEUED_BYTES, Runtime.getRuntime().maxMemory() / PART);
    private final BlockingQueue<Segment> queue = new LinkedBlockingQueue<>();
    private final AtomicLong queued = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final long epochNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
    private final long began = System.nanoTime();
    private final long lasts;
    private volatile boolean stopped;
    /** Written by the thread that takes. */
    private volatile long taken;

    /**
     * One that has begun.
     *
     * @param ports one of which either end must have; none for any
     * @param seconds how long it takes segments in; 0 for no limit
     */
    public Capture(Set<Integer> ports, int seconds) {
        this.ports = Set.copyOf(ports);
        this.lasts = seconds == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Whether what goes between these two addresses is wanted. */
    public boolean wants(InetSocketAddress local, InetSocketAddress remote) {
        return ports.isEmpty() || ports.contains(local.getPort()) || ports.contains(remote.getPort());
    }

    /** Takes nothing in any more. */
    public void stop() {
        stopped = true;
    }

    /** Whether nothing is taken in any more. */
    public boolean isOver() {
        return stopped || System.nanoTime() - began >= lasts;
    }

    /** Room for the bytes of a segment, to be {@linkplain #add added}; null if there is none, and the segment is dropped. */
    ByteBuffer reserve(int n) {
        if (queued.addAndGet(n + OVERHEAD) <= mostQueued) {
            try {
                return ByteBuffer.allocate(n);
            } catch (OutOfMemoryError e) {
                ERRORS.warn("'accel capture' drops what the heap has no room for", e);
            }
        }
        queued.addAndGet(-n - OVERHEAD);
        drop();
        return null;
    }

    /** Puts a segment in whose bytes were {@linkplain #reserve reserved}. */
    void add(Packets packets, boolean out, long sequence, long acknowledged, int flags, ByteBuffer bytes) {
        queue.add(new Segment(packets, out, epochNanos + System.nanoTime(), sequence, acknowledged, flags, bytes));
    }

    /** A tap met an error, which its thread must not notice. */
    void failed(Throwable e) {
        drop();
        ERRORS.warn("'accel capture' met an error, and a part of what it captures is missing", e);
    }

    private void drop() {
        dropped.incrementAndGet();
        CaptureCounters.packet(false);
    }

    /**
     * Puts the beginning of a file.
     *
     * @param file where to, at its position
     * @param application which program captures
     */
    public void begin(ByteBuffer file, String application) {
        Pcapng.begin(file, application);
    }

    /**
     * Takes out the next segment, and puts it as a block of a file.
     *
     * @param file where to, at its position; with room for {@link #MOST_BLOCK}
     * @param millis how long to wait for one
     * @return false if there is none
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean take(ByteBuffer file, long millis) throws InterruptedException {
        Segment segment = queue.poll(millis, TimeUnit.MILLISECONDS);
        if (segment == null) {
            return false;
        }
        queued.addAndGet(-segment.bytes.capacity() - OVERHEAD);
        int length = segment.packets.length(segment.bytes);
        int block = Pcapng.beginPacket(file, segment.nanos, length);
        segment.packets.tcp(file, segment.sequence, segment.acknowledged, segment.flags, segment.bytes);
        Pcapng.endPacket(file, block, length, segment.out);
        long before = taken;
        taken = before + 1;
        CaptureCounters.packet(true);
        return true;
    }

    /**
     * Puts the end of a file, which says how many packets there were, and how many were dropped.
     *
     * @param file where to, at its position
     */
    public void end(ByteBuffer file) {
        Pcapng.statistics(file, epochNanos + System.nanoTime(), taken + dropped(), dropped());
    }

    /** How many segments were taken out. */
    public long taken() {
        return taken;
    }

    /** How many segments there was no room for. */
    public long dropped() {
        return dropped.get();
    }
}
