// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A channel of the JDK's own: listeners, pipes, Unix-domain sockets. The kernel reports all its events. */
public final class KernelPollable extends KernelTold {
    private final SelectableChannel channel;

    // Guarded by this.
    private final List<Registration> registrations = new ArrayList<>(1);
    private boolean closed;

    /**
     * Makes a pollable of a channel.
     *
     * @param channel a channel of the kernel provider, in non-blocking mode when it is registered
     */
    public KernelPollable(SelectableChannel channel) {
        this.channel = channel;
    }

    /** Ends every registration, and accepts no more. */
    public void close() {
        synchronized (this) {
            closed = true;
        }
        for (Registration registration : registrations()) {
            registration.close();
        }
    }

    /**
     * Ends the registrations that a test picks out, at once as far as the kernel channel is concerned.
     *
     * @param over picks them by their attachment
     */
    public void endRegistrations(Predicate<Object> over) {
        for (Registration registration : registrations()) {
            if (over.test(registration.attachment())) {
                registration.close();
            }
        }
    }

    private synchronized List<Registration> registrations() {
        return new ArrayList<>(registrations);
    }

    @Override
    public SelectableChannel watched() {
        return channel;
    }

    @Override
    public boolean isKernels() {
        return true;
    }

    @Override
    public int watchedOps(int interest) {
        return interest;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        return interest & watchedReady;
    }

    @Override
    public synchronized boolean retained(Registration registration) {
        return !closed && registrations.add(registration);
    }

    @Override
    public synchronized void released(Registration registration) {
        registrations.remove(registration);
    }
}
