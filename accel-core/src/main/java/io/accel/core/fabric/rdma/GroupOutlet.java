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
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;

/**
 * A publisher's way to other hosts: a {@link GroupTransmitter} while the device has joined the group, and attempts to get one otherwise.
 *
 * <p><b>Threads.</b> The {@link GroupThread} opens and closes the device's part. The sender has the transmitter in between: it gets it, and
 * is asked to let go of it, by tasks in its half, so the device's part is never closed under it.
 */
final class GroupOutlet implements GroupNetwork.Outlet {
    private final GroupThread thread;
    private final GroupFlow flow;
    private final int hops;
    private final Executor half;
    private final GroupNetwork.Watch watch;

    // The group thread's:

    private final GrowingPause pause = new GrowingPause();
    /** Null while the way is closed. */
    private GroupEndpoint endpoint;
    /** What the sender was given; null if nothing. */
    private GroupTransmitter given;
    /** Whether nobody wants it any more. */
    private boolean ended;

    /** Why the way is not open, null if it is. Written by the group thread. */
    private volatile FallbackException closed =
            new FallbackException(FallbackReason.NOT_YET, "the way to other hosts is being opened");

    // The sender's:

    /** Null while the way is closed. */
    private GroupTransmitter transmitter;

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
            made = new GroupTransmitter(endpoint, endpoint.sendTo(event.group(), hops), flow);
        } catch (IOException e) {
            lose(Failures.toFallback(e));
            return;
        }
        given = made;
        pause.reset();
        closed = null;
        half.execute(() -> transmitter = freed ? null : made);
        watch.opened();
    }

    private void lose(FallbackException why) {
        boolean wasOpen = given != null;
        letGo();
        if (wasOpen || closed.reason() == FallbackReason.NOT_YET) { // of an attempt after another nobody needs to hear
            closed = wasOpen ? new FallbackException(FallbackReason.LINK_LOST, why.getMessage()) : why;
            watch.closed(closed);
        }
        thread.runAfter(pause.next(), this::open);
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
        return transmitter == null ? CLOSED : transmitter.most();
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
