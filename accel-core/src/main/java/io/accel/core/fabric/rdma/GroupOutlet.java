// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.AddressHandle;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import io.accel.core.fabric.rdma.verbs.SendFlags;
import io.accel.core.fabric.rdma.verbs.SendRequests;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A publisher's way to other hosts: a queue pair of its own, and slots from which the device sends.
 *
 * <p><b>Threads.</b> The {@link GroupThread} opens it, hears its events and closes it. In between, everything else is the sender's.
 */
final class GroupOutlet implements GroupNetwork.Outlet {
    private static final Log LOG = Log.of(GroupOutlet.class);
    static final int SLOTS = 128;
    private static final int SIGNAL_EVERY = 16;
    private static final int NONE = -1;
    /** How long a sender waits for room. The device sends a slot in less than a microsecond if its network keeps up. */
    private static final long PATIENCE_NANOS = 200_000;

    private final GroupThread thread;
    private final GroupFlow flow;
    private final int flags;
    private final int hops;
    private final Runnable failed;
    private final CompletableFuture<GroupOutlet> opened = new CompletableFuture<>();
    private final WorkCompletions completions = new WorkCompletions(SLOTS);
    private final SendRequests requests = new SendRequests(1);

    // Written before the future is completed, by the thread that opens it.
    private GroupEndpoint endpoint;
    private AddressHandle handle;
    private ByteBuffer memory;

    /** Set once, by whichever thread finds the device gone, or its errors. */
    private volatile boolean broken;
    /** Whether {@link #failed} was called, or must not be. Guarded by this. */
    private boolean said;

    // Sender only.
    private int slot = NONE;
    private int length;
    private long number;
    private long posted;
    private long completed;

    GroupOutlet(GroupThread thread, GroupFlow flow, int hops, Runnable failed) {
        this.thread = thread;
        this.flow = flow;
        this.flags = flow.kernelToo() ? GroupHeader.KERNEL_TOO : 0;
        this.hops = hops;
        this.failed = failed;
    }

    /** Completed when it can be used, or with the reason why not; nothing is left open then. */
    CompletableFuture<GroupOutlet> opened() {
        return opened;
    }

    // ---- the group thread

    void open() {
        try {
            endpoint = new GroupEndpoint(
                    thread, (Inet4Address) flow.source().getAddress(), SLOTS, 0, RdmaGroups.MOST_MTU, this::on);
            memory = endpoint.memory();
            long publisher = ThreadLocalRandom.current().nextLong();
            for (int i = 0; i < SLOTS; i++) {
                GroupHeader.prepare(memory, i * RdmaGroups.MOST_MTU, flow, publisher);
            }
            endpoint.join((Inet4Address) flow.group().getAddress());
        } catch (IOException e) {
            fail(Failures.toFallback(e));
        }
    }

    private void on(CmEvent event) {
        if (event.type() == CmEventType.MULTICAST_JOIN && !opened.isDone()) {
            try {
                handle = endpoint.sendTo(event.group(), hops);
                opened.complete(this);
            } catch (IOException e) {
                fail(Failures.toFallback(e));
            }
        } else {
            fail(RdmaGroups.refusal(event, flow.group().getAddress()));
        }
    }

    /** Nobody waits for it any more. */
    void abandon() {
        if (!opened.isCompletedExceptionally()) {
            opened.completeExceptionally(new FallbackException(FallbackReason.TIMEOUT, "abandoned"));
            close();
        }
    }

    private void fail(FallbackException why) {
        if (opened.completeExceptionally(why)) {
            close();
        } else if (!opened.isCompletedExceptionally()) {
            breakDown(why);
        }
    }

    private void close() {
        if (endpoint != null) {
            endpoint.close();
            endpoint = null;
        }
    }

    // ---- any thread

    private void breakDown(Exception why) {
        broken = true;
        synchronized (this) {
            if (said) {
                return;
            }
            said = true;
        }
        LOG.get()
                .log(
                        Level.WARNING,
                        "accel: datagrams to {0} go to other hosts by the kernel alone, if at all: {1}",
                        flow.group(),
                        why.getMessage());
        failed.run();
    }

    // ---- the sender

    @Override
    public int most() {
        return endpoint.mtu() - GroupHeader.SIZE;
    }

    @Override
    public void write(ByteBuffer src) {
        length = src.remaining();
        if (takeSlot()) {
            memory.put(start(), src, src.position(), length);
        }
    }

    @Override
    public void write(ByteBuffer[] srcs, int offset, int count) {
        length = 0;
        boolean taken = takeSlot();
        for (int i = offset; i < offset + count; i++) {
            int n = srcs[i].remaining();
            if (taken) {
                memory.put(start() + length, srcs[i], srcs[i].position(), n);
            }
            length += n;
        }
    }

    private int start() {
        return slot * RdmaGroups.MOST_MTU + GroupHeader.SIZE;
    }

    private boolean takeSlot() {
        slot = !broken && hasRoom() ? (int) (posted % SLOTS) : NONE;
        return slot != NONE;
    }

    private boolean hasRoom() {
        if (posted - completed < SLOTS) {
            return true;
        }
        long since = System.nanoTime();
        do {
            if (!takeCompletions()) {
                return false;
            }
            if (posted - completed < SLOTS) {
                return true;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - since < PATIENCE_NANOS);
        return false;
    }

    /** Returns false if the device has failed. */
    private boolean takeCompletions() {
        try {
            int count = endpoint.queue().pollInto(completions);
            for (int i = 0; i < count; i++) {
                if (completions.status(i) != WcStatus.SUCCESS) {
                    throw new IOException("a datagram ended with status " + completions.status(i));
                }
                completed = completions.workRequestId(i);
            }
            return true;
        } catch (IOException e) {
            breakDown(e);
            return false;
        }
    }

    @Override
    public void send() {
        long own = number++;
        if (slot != NONE) {
            post(flags, length, own); // otherwise members find the number missing
        }
    }

    private void post(int headerFlags, int n, long own) {
        GroupHeader.finish(memory, slot * RdmaGroups.MOST_MTU, headerFlags, n, own);
        boolean signals = (posted + 1) % SIGNAL_EVERY == 0;
        requests.datagram(0, posted + 1, signals ? SendFlags.SIGNALED : 0, handle);
        requests.segment(0, endpoint.slot(slot), GroupHeader.SIZE + n, endpoint.lkey());
        try {
            endpoint.pair().postSend(requests, 0, 1);
            posted++;
        } catch (VerbsException e) {
            breakDown(e);
        }
    }

    @Override
    public void free() {
        synchronized (this) {
            said = true; // whoever frees it need not be told
        }
        if (takeSlot()) {
            post(flags | GroupHeader.END, 0, number);
        }
        thread.run(this::close);
    }
}
