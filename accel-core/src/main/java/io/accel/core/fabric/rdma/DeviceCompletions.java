// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CompletionChannel;
import io.accel.core.fabric.rdma.verbs.CompletionQueue;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import java.io.IOException;
import java.nio.channels.SelectableChannel;

/** A device's completion queue, the channel on which it announces completions, and the channel's descriptor as selectors see it. */
final class DeviceCompletions implements Completions {
    private final WorkCompletions batch;
    private CompletionChannel channel;
    private CompletionQueue queue;
    private SelectableChannel doorbell;
    /** The doorbell's descriptor. */
    private int duplicate;

    private DeviceCompletions(int atOnce) {
        this.batch = new WorkCompletions(atOnce);
    }

    /**
     * Opens a queue.
     *
     * @param entries how many completions it has to hold
     * @param atOnce how many are taken with one call
     * @throws IOException if the device or the system does not allow it; nothing is left open then
     */
    static DeviceCompletions open(Context context, int entries, int atOnce) throws IOException {
        DeviceCompletions opened = new DeviceCompletions(atOnce);
        try {
            opened.channel = context.createCompletionChannel();
            opened.queue = context.createCompletionQueue(entries, opened.channel);
            opened.duplicate = opened.channel.duplicateFd();
            opened.doorbell = Endpoint.selectable(opened.duplicate);
            opened.doorbell.configureBlocking(false);
            return opened;
        } catch (IOException | RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    CompletionQueue queue() {
        return queue;
    }

    SelectableChannel doorbell() {
        return doorbell;
    }

    @Override
    public int take() throws VerbsException {
        return queue.pollInto(batch);
    }

    @Override
    public int atOnce() {
        return batch.capacity();
    }

    @Override
    public long id(int index) {
        return batch.workRequestId(index);
    }

    @Override
    public int status(int index) {
        return batch.status(index);
    }

    @Override
    public int opcode(int index) {
        return batch.opcode(index);
    }

    @Override
    public int byteLength(int index) {
        return batch.byteLength(index);
    }

    @Override
    public int flags(int index) {
        return batch.flags(index);
    }

    @Override
    public int immediate(int index) {
        return batch.immediate(index);
    }

    @Override
    public void requestNotify(boolean solicitedOnly) throws VerbsException {
        queue.requestNotify(solicitedOnly);
    }

    @Override
    public boolean takeEvents() throws VerbsException {
        // Where a second one waits, the descriptor says so again. To look for it now would cost each wake-up a call in
        // vain.
        if (channel.nextEvent() == null) {
            return false;
        }
        queue.acknowledgeEvents();
        return true;
    }

    /** Closes all, once, although selectors may still have the doorbell; it never fails: errors are logged. */
    @Override
    public void close() {
        if (doorbell != null) {
            Endpoint.close(() -> CompletionChannel.silence(duplicate), "doorbell's descriptor");
        }
        Endpoint.close(doorbell, "doorbell");
        Endpoint.close(queue, "completion queue");
        Endpoint.close(channel, "completion channel");
    }
}
