// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.KernelTold;
import io.accel.core.poll.Registration;
import java.nio.channels.SelectableChannel;

/**
 * A link's doorbell in a poller of its socket, beside the socket's own registration there, which watches the anchor and does all the
 * looking. When it rings, all threads that wait for the socket look, since only one of them hears it.
 */
final class LinkDoorbell extends KernelTold {
    /** The number of registrations that learn of a ring that this hears: its own, and the socket's beside it. */
    private static final int KNOWING = 2;

    private final LinkStream stream;

    LinkDoorbell(LinkStream stream) {
        this.stream = stream;
    }

    @Override
    public SelectableChannel watched() {
        return stream.link().doorbell();
    }

    @Override
    public boolean isWatchedShared() {
        return stream.link().sharesDoorbell();
    }

    @Override
    public void takeRings() {
        stream.link().takeRings();
    }

    @Override
    public void addRinger(Runnable ringer) {
        stream.link().addRinger(ringer);
    }

    @Override
    public void removeRinger(Runnable ringer) {
        stream.link().removeRinger(ringer);
    }

    @Override
    public int watchedOps(int interest) {
        return stream.watchedOps(interest);
    }

    @Override
    public boolean isDoorbell() {
        return true;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        if (!stream.lease().hasFailed()) {
            stream.doorbellRang(KNOWING);
        }
        return 0;
    }

    @Override
    public boolean failed(Throwable e) {
        return stream.failed(e);
    }

    @Override
    public boolean isIntact() {
        return stream.isIntact();
    }

    @Override
    public boolean retained(Registration registration) {
        return stream.retained(registration);
    }

    @Override
    public void released(Registration registration) {
        stream.released(registration);
    }
}
