// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.KernelTold;
import io.accel.core.poll.Registration;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * A link's doorbell in a poller of its datagram socket. When it rings, all threads that wait for the socket look, since only one of them
 * hears it. The socket's own registration does everything else.
 */
final class DatagramDoorbell extends KernelTold {
    private final DatagramWatchers watchers;
    private final DatagramLink link;

    /** Written before the poller knows of this. */
    private volatile Registration registration;

    DatagramDoorbell(DatagramWatchers watchers, DatagramLink link) {
        this.watchers = watchers;
        this.link = link;
    }

    @Override
    public SelectableChannel watched() {
        return link.link().doorbell();
    }

    @Override
    public boolean isWatchedShared() {
        return link.link().sharesDoorbell();
    }

    @Override
    public void takeRings() {
        link.link().takeRings();
    }

    @Override
    public void addRinger(Runnable ringer) {
        link.link().addRinger(ringer);
    }

    @Override
    public void removeRinger(Runnable ringer) {
        link.link().removeRinger(ringer);
    }

    @Override
    public int watchedOps(int interest) {
        // A doorbell whose peer is gone is readable for ever.
        return link.link().peerGone() ? 0 : SelectionKey.OP_READ;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        boolean goneBefore = link.link().peerGone();
        boolean rung = watchers.drain(link);
        boolean gone = link.link().peerGone();
        if (gone) {
            registration.refresh();
            watchers.gone(link);
        }
        if (rung || gone != goneBefore) {
            watchers.refresh();
        }
        return 0;
    }

    @Override
    public boolean failed(Throwable e) {
        watchers.failed(link, e);
        return true;
    }

    @Override
    public boolean retained(Registration with) {
        registration = with;
        return link.pin();
    }

    @Override
    public void released(Registration ended) {
        link.release();
    }
}
