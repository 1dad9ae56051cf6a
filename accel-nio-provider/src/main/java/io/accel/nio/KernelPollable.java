package io.accel.nio;

import io.accel.core.poll.Pollable;
import io.accel.core.poll.Registration;
import java.nio.channels.SelectableChannel;

/** A channel of the JDK's own in our selector: datagrams, pipes, Unix-domain sockets. The kernel tells everything. */
final class KernelPollable implements Pollable {
    private final SelectableChannel channel;

    KernelPollable(SelectableChannel channel) {
        this.channel = channel;
    }

    @Override
    public SelectableChannel watched() {
        return channel;
    }

    @Override
    public int watchedOps(int interest) {
        return interest;
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public int look(int interest) {
        return 0;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        return interest & watchedReady;
    }

    @Override
    public void arm(int interest) {
        // The kernel needs no asking.
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean retained(Registration registration) {
        return true; // there is no memory to keep
    }

    @Override
    public void released(Registration registration) {
        // See retained.
    }
}
