// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A publisher's way to other hosts: a {@link GroupTransmitter} while the device has joined the group, and attempts to get one otherwise.
 *
 * <p><b>Threads.</b> The {@link GroupThread} opens and closes the device's part. The sender has the transmitter in between: it gets it, and
 * is asked to let go of it, by tasks in its half, so the device's part is never closed under it.
 */
final class GroupOutlet implements GroupNetwork.Outlet {
    /** How long a member's report counts. Members repeat it each second. */
    private static final long REPORT_NANOS = 5_000_000_000L;

    private final GroupThread thread;
    private final GroupFlow flow;
    private final int hops;
    private final Executor half;
    private final GroupNetwork.Watch watch;

    /** The upper half of the publisher's number, the same whenever the way is opened again. */
    private final int key = ThreadLocalRandom.current().nextInt();

    // The group thread's:

    private final GrowingPause pause = new GrowingPause();
    /** Null while the way is closed. */
    private GroupEndpoint endpoint;
    /** What the sender was given; null if nothing. */
    private GroupTransmitter given;
    /** Why the device does not carry the datagrams; null if it may. */
    private FallbackException withoutDevice =
            new FallbackException(FallbackReason.NOT_YET, "the way to other hosts is being opened");
    /** Why the device is not used though it may be; null if it is. */
    private FallbackException unheard;
    /** Until when a member's last report counts. */
    private long unheardUntil;
    /** Whether the watch was told that the way is not open. */
    private boolean told;
    /** Whether nobody wants it any more. */
    private boolean ended;

    /** Why the way is not open, null if it is. Written by the group thread. */
    private volatile FallbackException closed = withoutDevice;

    // The sender's:

    /** Null while the way is closed. */
    private GroupTransmitter transmitter;
    /** Whether the kernel carries the datagrams none the less. */
    private boolean paused;

    private boolean freed;

    GroupOutlet(GroupThread thread, GroupFlow flow, int hops, Executor half, GroupNetwork.Watch watch) {
        this.thread = thread;
        this.flow = flow;
        this.hops = hops;
        this.half = half;
        this.watch = watch;
    }

    // ---- the group thread

    /** Tries to open the way, and again later if that fails. */
    void open() {
        if (ended) {
            return;
        }
        try {
            endpoint = new GroupEndpoint(
                    thread,
                    (Inet4Address) flow.source().getAddress(),
                    GroupTransmitter.SLOTS,
                    0,
                    RdmaGroups.MOST_MTU,
                    this::on);
            endpoint.join((Inet4Address) flow.group().getAddress());
        } catch (IOException e) {
            lose(Failures.toFallback(e));
        }
    }

    private void on(CmEvent event) {
        if (endpoint == null || !endpoint.isOf(event)) {
            return; // of one that the sender has not let go of yet
        }
        if (event.type() != CmEventType.MULTICAST_JOIN) {
            lose(RdmaGroups.refusal(event, flow.group().getAddress()));
            return;
        }
        if (given != null) {
            return;
        }
        GroupTransmitter made;
        try {
            long publisher = ((long) key << Integer.SIZE)
                    | Integer.toUnsignedLong(ThreadLocalRandom.current().nextInt());
            made = new GroupTransmitter(endpoint, endpoint.sendTo(event.group(), hops), flow, publisher, reportsPort());
        } catch (IOException e) {
            lose(Failures.toFallback(e));
            return;
        }
        given = made;
        pause.reset();
        half.execute(() -> transmitter = freed ? null : made);
        withoutDevice = null;
        changed();
    }

    /** Members need not report what they hear through the kernel as well. */
    private int reportsPort() {
        if (flow.kernelToo()) {
            return 0;
        }
        thread.reports().add(key, this);
        return thread.reports().port();
    }

    private void lose(FallbackException why) {
        boolean wasOpen = given != null;
        letGo();
        if (wasOpen) {
            withoutDevice = new FallbackException(FallbackReason.LINK_LOST, why.getMessage());
        } else if (withoutDevice.reason() == FallbackReason.NOT_YET) {
            withoutDevice = why;
        }
        changed();
        thread.runAfter(pause.next(), this::open);
    }

    private void changed() {
        FallbackException now = withoutDevice == null ? unheard : withoutDevice;
        boolean wasOpen = closed == null;
        closed = now;
        if (now == null && !wasOpen) {
            told = false;
            watch.opened();
        } else if (now != null && !told) {
            told = true;
            watch.closed(now);
        }
    }

    /** A member of the group has said that its device brings it nothing. */
    void reported(InetAddress by) {
        unheardUntil = System.nanoTime() + REPORT_NANOS;
        if (unheard == null && !ended) {
            unheard = new FallbackException(
                    FallbackReason.LINK_LOST, "a member on " + by.getHostAddress() + " has lost its device");
            half.execute(() -> paused = true);
            changed();
            thread.runAfter(REPORT_NANOS, this::unpause);
        }
    }

    private void unpause() {
        long left = unheardUntil - System.nanoTime();
        if (ended) {
            return;
        }
        if (left > 0) {
            thread.runAfter(left, this::unpause);
            return;
        }
        unheard = null;
        half.execute(() -> paused = false);
        changed();
    }

    /** Closes the device's part, once the sender has let go of it. */
    private void letGo() {
        GroupEndpoint closing = endpoint;
        GroupTransmitter used = given;
        endpoint = null;
        given = null;
        if (used != null) {
            half.execute(() -> {
                if (transmitter == used) {
                    transmitter = null;
                }
                thread.run(closing::close);
            });
        } else if (closing != null) {
            closing.close();
        }
    }

    private void failed(GroupTransmitter which, IOException why) {
        if (given == which) { // otherwise the thread has heard of it already
            lose(Failures.toFallback(why));
        }
    }

    private void end() {
        ended = true;
        thread.reports().remove(key);
        if (endpoint != null) {
            endpoint.close();
            endpoint = null;
            given = null;
        }
    }

    // ---- any thread

    @Override
    public FallbackException closed() {
        return closed;
    }

    // ---- the sender

    @Override
    public int most() {
        return transmitter == null || paused ? CLOSED : transmitter.most();
    }

    @Override
    public void write(ByteBuffer src) {
        try {
            transmitter.write(src);
        } catch (IOException e) {
            giveUp(e);
        }
    }

    @Override
    public void write(ByteBuffer[] srcs, int offset, int count) {
        try {
            transmitter.write(srcs, offset, count);
        } catch (IOException e) {
            giveUp(e);
        }
    }

    @Override
    public void send() {
        if (transmitter == null) {
            return; // it has failed since the datagram was written
        }
        try {
            transmitter.send();
        } catch (IOException e) {
            giveUp(e);
        }
    }

    private void giveUp(IOException why) {
        GroupTransmitter failed = transmitter;
        transmitter = null;
        thread.run(() -> failed(failed, why));
    }

    @Override
    public void free() {
        freed = true;
        if (transmitter != null) {
            transmitter.end();
            transmitter = null;
        }
        thread.run(this::end);
    }
}
