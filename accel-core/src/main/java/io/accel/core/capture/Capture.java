// SPDX-License-Identifier: Apache-2.0
package io.accel.core.capture;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.observe.CaptureCounters;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries packets from the threads that carry bytes into a file. Any thread puts them in, without waiting; one thread
 * takes them out. Between them is a queue of limited bytes, and packets that do not fit are dropped and counted.
 */
public final class Capture {
    /** The room that {@link #take} needs. */
    public static final int MOST_BLOCK = Packets.MOST + Pcapng.MOST_OVERHEAD;

    private static final Warnings ERRORS = new Warnings(Log.of(Capture.class));
    private static final long MOST_QUEUED_BYTES = 32L << 20;
    /** The part of the heap that the queue may take, as a divisor. */
    private static final int PART = 16;
    /** The approximate size of a packet in the queue beside its bytes. */
    private static final int OVERHEAD = 128;

    /** A packet in the queue. */
    private record Packet(Packets packets, boolean out, long nanos, Transport header, ByteBuffer bytes) {}

    private final Set<Integer> ports;
    private final long mostQueued =
            Math.min(MOST_QUEUED_BYTES, Runtime.getRuntime().maxMemory() / PART);
    private final BlockingQueue<Packet> queue = new LinkedBlockingQueue<>();
    private final AtomicLong queued = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final long epochNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
    private final long began = System.nanoTime();
    private final long lasts;
    private volatile boolean stopped;
    /** Written by the thread that takes packets out, before it gives their room back. */
    private volatile long taken;
    /** How many of those were passed on. Written by the same thread. */
    private volatile long passedOn;

    /**
     * Begins a capture.
     *
     * @param ports either end must have one of these; none for any
     * @param seconds how long the capture takes packets in; 0 for no limit
     */
    public Capture(Set<Integer> ports, int seconds) {
        this.ports = Set.copyOf(ports);
        this.lasts = seconds == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Whether the capture wants the traffic between these two addresses. */
    public boolean wants(InetSocketAddress local, InetSocketAddress remote) {
        return ports.isEmpty() || ports.contains(local.getPort()) || ports.contains(remote.getPort());
    }

    /** Stops taking packets in. */
    public void stop() {
        stopped = true;
    }

    /** Whether the capture has stopped taking packets in. */
    public boolean isOver() {
        return stopped || System.nanoTime() - began >= lasts;
    }

    /** Takes a packet without bytes in; false if there is no room, and it is dropped. */
    boolean add(Packets packets, boolean out, Transport header) {
        ByteBuffer nothing = reserve(0);
        return nothing != null && queue(packets, out, header, nothing);
    }

    /**
     * Takes a packet in, whose time is now.
     *
     * @param packets makes the packets of the direction
     * @param out whether this end has sent it
     * @param header the header before the bytes
     * @param ring the ring that the bytes lie in
     * @param cursor the cursor of the first byte
     * @param n how many bytes
     * @return false if there is no room, or one packet cannot hold this many; it is dropped then
     */
    boolean add(Packets packets, boolean out, Transport header, MemoryRegion ring, long cursor, int n) {
        if (!packets.hold(header, n)) {
            drop(); // no sender of ours has sent this
            return false;
        }
        ByteBuffer bytes = reserve(n);
        if (bytes == null) {
            return false;
        }
        ring.copyOut(cursor, bytes, 0, n);
        return queue(packets, out, header, bytes);
    }

    /** Reserves room in the queue for this many bytes; null if there is none, and the packet is dropped. */
    private ByteBuffer reserve(int n) {
        if (queued.addAndGet(n + OVERHEAD) <= mostQueued) {
            try {
                return ByteBuffer.allocate(n);
            } catch (OutOfMemoryError e) {
                ERRORS.warn("'accel capture' drops packets for which the heap has no room", e);
            }
        }
        queued.addAndGet(-n - OVERHEAD);
        drop();
        return null;
    }

    private boolean queue(Packets packets, boolean out, Transport header, ByteBuffer bytes) {
        return queue.add(new Packet(packets, out, epochNanos + System.nanoTime(), header, bytes));
    }

    /** A tap met an error, which its thread must not notice. */
    void failed(Throwable e) {
        drop();
        ERRORS.warn("'accel capture' met an error, and a part of the capture is missing", e);
    }

    private void drop() {
        dropped.incrementAndGet();
        CaptureCounters.packet(false);
    }

    /**
     * Puts the beginning of a file.
     *
     * @param file the destination, at its position
     * @param application the program that captures
     */
    public void begin(ByteBuffer file, String application) {
        Pcapng.begin(file, application);
    }

    /**
     * Takes out the next packet, and puts it as a block of a file.
     *
     * @param file the destination, at its position; with room for {@link #MOST_BLOCK}
     * @param millis how long to wait for a packet
     * @return false if there was none
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean take(ByteBuffer file, long millis) throws InterruptedException {
        Packet packet = queue.poll(millis, TimeUnit.MILLISECONDS);
        if (packet == null) {
            return false;
        }
        int length = packet.packets.length(packet.header, packet.bytes.capacity());
        int block = Pcapng.beginPacket(file, packet.nanos, length);
        packet.packets.put(file, packet.header, packet.bytes);
        Pcapng.endPacket(file, block, length, packet.out);
        long before = taken;
        taken = before + 1;
        queued.addAndGet(-packet.bytes.capacity() - OVERHEAD); // behind the count, for isPassedOn
        CaptureCounters.packet(true);
        return true;
    }

    /**
     * Puts the end of a file, with the number of packets, and of those dropped.
     *
     * @param file the destination, at its position
     */
    public void end(ByteBuffer file) {
        Pcapng.statistics(file, epochNanos + System.nanoTime(), taken + dropped(), dropped());
    }

    /** How many packets were taken out. */
    public long taken() {
        return taken;
    }

    /** Takes note that all packets taken out were passed on. By the thread that takes them out. */
    public void passedOn() {
        passedOn = taken;
    }

    /** Whether each packet that was taken in was also passed on. Any thread. */
    public boolean isPassedOn() {
        return queued.get() == 0 && passedOn == taken; // in this order: none in the queue, so all are counted
    }

    /** How many packets were dropped for want of room. */
    public long dropped() {
        return dropped.get();
    }
}
