// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.rdma.verbs.AddressHandle;
import io.accel.core.fabric.rdma.verbs.SendFlags;
import io.accel.core.fabric.rdma.verbs.SendRequests;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import io.accel.core.jdk.VirtualThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;

/**
 * Sends a publisher's datagrams to a group that its device has joined, from slots that take turns. Made by the {@link GroupThread}, and
 * then the sender's. Whatever it throws, nothing can be sent by it any more.
 */
final class GroupTransmitter {
    private static final Log LOG = Log.of(GroupTransmitter.class);
    static final int SLOTS = 128;
    private static final int SIGNAL_EVERY = 16;
    private static final int NONE = -1;
    /** How long a sender waits for room. The device sends a slot in less than a microsecond if its network keeps up. */
    private static final long PATIENCE_NANOS = 200_000;

    private final GroupEndpoint endpoint;
    private final AddressHandle handle;
    private final ByteBuffer memory;
    private final int flags;
    private final WorkCompletions completions = new WorkCompletions(SLOTS);
    private final SendRequests requests = new SendRequests(1);

    private int slot = NONE;
    private int length;
    private long number;
    private long posted;
    private long completed;

    /**
     * Makes it.
     *
     * @param publisher a number that no other has
     * @param reports the port for members' reports; 0 for none
     */
    GroupTransmitter(GroupEndpoint endpoint, AddressHandle handle, GroupFlow flow, long publisher, int reports) {
        this.endpoint = endpoint;
        this.handle = handle;
        this.memory = endpoint.memory();
        this.flags = flow.kernelToo() ? GroupHeader.KERNEL_TOO : 0;
        for (int i = 0; i < SLOTS; i++) {
            GroupHeader.prepare(memory, i * RdmaGroups.MOST_MTU, flow, publisher, reports);
        }
    }

    /** The bytes of the longest datagram. */
    int most() {
        return endpoint.mtu() - GroupHeader.SIZE;
    }

    void write(ByteBuffer src) throws IOException {
        length = src.remaining();
        if (takeSlot()) {
            memory.put(start(), src, src.position(), length);
        }
    }

    void write(ByteBuffer[] srcs, int offset, int count) throws IOException {
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

    /** Sends the datagram that was written last. */
    void send() throws IOException {
        long own = number++;
        if (slot != NONE) {
            post(flags, length, own); // otherwise members find the number missing
        }
    }

    /** Says that nothing follows. */
    void end() {
        try {
            if (takeSlot()) {
                post(flags | GroupHeader.END, 0, number);
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the end of a publisher is not said, and noticed by its silence", e);
        }
    }

    private int start() {
        return slot * RdmaGroups.MOST_MTU + GroupHeader.SIZE;
    }

    private boolean takeSlot() throws IOException {
        slot = hasRoom() ? (int) (posted % SLOTS) : NONE;
        return slot != NONE;
    }

    private boolean hasRoom() throws IOException {
        if (posted - completed < SLOTS) {
            return true;
        }
        long since = System.nanoTime();
        do {
            takeCompletions();
            if (posted - completed < SLOTS) {
                return true;
            }
            if (!VirtualThreads.parkBriefly()) {
                Thread.onSpinWait();
            }
        } while (System.nanoTime() - since < PATIENCE_NANOS);
        return false;
    }

    private void takeCompletions() throws IOException {
        int count = endpoint.queue().pollInto(completions);
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != WcStatus.SUCCESS) {
                throw new IOException("a datagram ended with status " + completions.status(i));
            }
            completed = completions.workRequestId(i);
        }
    }

    private void post(int headerFlags, int n, long own) throws IOException {
        GroupHeader.finish(memory, slot * RdmaGroups.MOST_MTU, headerFlags, n, own);
        boolean signals = (posted + 1) % SIGNAL_EVERY == 0;
        requests.datagram(0, posted + 1, signals ? SendFlags.SIGNALED : 0, handle);
        requests.segment(0, endpoint.slot(slot), GroupHeader.SIZE + n, endpoint.lkey());
        endpoint.pair().postSend(requests, 0, 1);
        posted++;
    }
}
