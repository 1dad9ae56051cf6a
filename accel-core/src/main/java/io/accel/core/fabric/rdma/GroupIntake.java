// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.rdma.verbs.GlobalRoute;
import io.accel.core.fabric.rdma.verbs.ReceiveRequests;
import io.accel.core.fabric.rdma.verbs.WcFlags;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.function.Consumer;

/** Takes the datagrams of the groups that were joined by one address from its device, as long as that is there. Used by the {@link GroupThread} alone. */
final class GroupIntake {
    private static final Warnings ERRORS = new Warnings(Log.of(GroupIntake.class));
    static final int SLOTS = 512;
    private static final int SLOT_SIZE = GlobalRoute.SIZE + RdmaGroups.MOST_MTU;
    private static final int BATCH = 64;

    private final Taker taker;
    private final Consumer<IOException> failed;
    private final GroupEndpoint endpoint;
    private final SelectableChannel readable;
    private final ReceiveRequests receives = new ReceiveRequests(BATCH);
    private final WorkCompletions completions = new WorkCompletions(BATCH);
    private boolean closed;

    /** Takes a datagram that anybody may have sent. */
    @FunctionalInterface
    interface Taker {
        /**
         * Takes it.
         *
         * @param memory big-endian; it is used again afterwards
         * @param route where in the memory the datagram's route begins, behind which it lies
         * @param received the length of the datagram in bytes
         */
        void take(ByteBuffer memory, int route, int received);
    }

    /**
     * Opens it, or nothing.
     *
     * @param events gets the events of the connection manager
     * @param failed called when the queue pair has failed; the caller closes this then
     */
    GroupIntake(GroupThread thread, Inet4Address on, Taker taker, CmHandler events, Consumer<IOException> failed)
            throws IOException {
        this.taker = taker;
        this.failed = failed;
        this.endpoint = new GroupEndpoint(thread, on, 0, SLOTS, SLOT_SIZE, events);
        SelectableChannel doorbell = null;
        boolean done = false;
        try {
            for (int first = 0; first < SLOTS; first += BATCH) {
                for (int i = 0; i < BATCH; i++) {
                    assign(i, first + i);
                }
                endpoint.pair().postReceive(receives, 0, BATCH);
            }
            endpoint.queue().requestNotify(false);
            doorbell = Endpoint.selectable(endpoint.channel().duplicateFd());
            doorbell.configureBlocking(false);
            thread.watch(doorbell, this::receive);
            done = true;
        } finally {
            if (!done) {
                Endpoint.close(doorbell, "completion channel's descriptor");
                endpoint.close();
            }
        }
        this.readable = doorbell;
    }

    private void assign(int index, int slot) {
        receives.into(index, slot, endpoint.slot(slot), SLOT_SIZE, endpoint.lkey());
    }

    /** As {@link GroupEndpoint#join}. */
    void join(Inet4Address group) throws IOException {
        endpoint.join(group);
    }

    /** As {@link GroupEndpoint#leave}. */
    void leave(Inet4Address group) {
        endpoint.leave(group);
    }

    private void receive() {
        if (closed) {
            return;
        }
        try {
            while (endpoint.channel().nextEvent() != null) {
                // The queue is the channel's only one.
            }
            endpoint.queue().requestNotify(false);
            int count = endpoint.queue().pollInto(completions); // after arming, so that nothing is left behind
            while (count > 0) {
                for (int i = 0; i < count; i++) {
                    int slot = (int) completions.workRequestId(i);
                    if (completions.status(i) != WcStatus.SUCCESS) {
                        throw new IOException("a receive ended with status " + completions.status(i));
                    }
                    if ((completions.flags(i) & WcFlags.GRH) != 0) {
                        tryToTake(slot * SLOT_SIZE, completions.byteLength(i) - GlobalRoute.SIZE);
                    }
                    assign(i, slot);
                }
                endpoint.pair().postReceive(receives, 0, count);
                count = endpoint.queue().pollInto(completions);
            }
        } catch (IOException e) {
            failed.accept(e);
        } catch (RuntimeException | Error e) {
            failed.accept(
                    new IOException("taking datagrams met an error", e)); // perhaps not all slots are posted again
        }
    }

    private void tryToTake(int route, int received) {
        try {
            taker.take(endpoint.memory(), route, received);
        } catch (RuntimeException | Error e) {
            // Nothing that a single datagram does may cost its place in the queue.
            ERRORS.warn("a datagram of a multicast group is lost", e);
        }
    }

    /** Gives the device's part back. Once. */
    void close() {
        closed = true;
        Endpoint.close(readable, "completion channel's descriptor");
        endpoint.close();
    }
}
