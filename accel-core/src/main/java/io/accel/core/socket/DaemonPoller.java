// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.DescriptorShare;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.util.function.Consumer;

/** The poller of a daemon that sleeps in it, and the daemon. Both start when there is work to do. Any thread. */
final class DaemonPoller {
    /** Never spins: nobody waits for it. */
    private static final PollConfig SLEEPING = new PollConfig(0, 1, 1, 0, PollConfig.Yielding.ADAPTIVE);

    private final String name;
    private final String work;
    private final Consumer<Poller> body;
    private Poller poller; // guarded by this; written once

    /**
     * A daemon that has not started.
     *
     * @param name its name
     * @param work what it does, for messages
     * @param body does that for as long as the process lives
     */
    DaemonPoller(String name, String work, Consumer<Poller> body) {
        this.name = name;
        this.work = work;
        this.body = body;
    }

    /**
     * The poller, to be woken.
     *
     * @throws FallbackException if the daemon cannot be started now
     */
    synchronized Poller started() throws FallbackException {
        if (poller == null) {
            try {
                Poller opened = Privileged.call(() -> new Poller(SLEEPING));
                try {
                    Daemons.start(name, () -> body.accept(opened), opened::wakeup);
                    poller = opened;
                } finally {
                    if (poller == null) {
                        opened.close();
                    }
                }
            } catch (SecurityException e) {
                throw new FallbackException(
                        FallbackReason.NO_RIGHT,
                        "the security manager forbids it to Accel's own code: " + e.getMessage());
            } catch (IOException | OutOfMemoryError e) {
                throw Shortage.of(
                        FallbackReason.NO_RESOURCES, "starting the thread that " + work + " failed: " + e.getMessage());
            }
        }
        return poller;
    }

    /**
     * Starts the daemon, if it has not started, while descriptors are left to the program as they are when a link is made.
     *
     * @throws FallbackException if too few are free, or it cannot be started now
     */
    synchronized void startWhileThereIsRoom() throws FallbackException {
        if (poller == null) {
            DescriptorShare.checkFree();
            Poller unused = started();
        }
    }

    /** Wakes the daemon, unless it has never had anything to do. */
    synchronized void wakeIfStarted() {
        if (poller != null) {
            poller.wakeup();
        }
    }
}
