// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.DescriptorShare;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;

/**
 * Makes a blocking receive wait, in a poller of the socket's own. The poller looks at the kernel as well as at the links while it spins,
 * and stays registered with both, so that a wait costs one system call. A virtual thread waits as all virtual threads do, and so does a thread
 * for whose poller Accel has no descriptors. In the receiving
 * half only, except for {@link #released}, {@link #isInterrupted} and {@link #wake}.
 *
 * <p>A thread that wants a task done in the half adds it to the half's tasks, then calls {@link #wake}, which looks whether a thread
 * sleeps. A thread that is about to sleep says so, then looks at the tasks. So one of the two sees the other.
 */
final class DatagramSleeper implements BlockingWaits.Waiter {
    private static final Poller.Sink NOTHING = (registration, ops) -> {};
    /** The descriptors of its poller: its selector's two, and a pipe's once another thread has woken it. */
    private static final int DESCRIPTORS = 4;

    private final Accelerator accelerator;
    private final DatagramSocket socket;
    private final DatagramHalf half;
    /** Null until a platform thread waits. Written in the receiving half, read by the closing thread. */
    private volatile Poller poller;
    /** Null while no thread sleeps. Written by the sleeper, in the receiving half; read by the closing thread. */
    private volatile Thread asleep;
    /** Whether a thread sleeps as virtual threads do. Written by that thread, in the receiving half; read by the thread that wakes it. */
    private volatile boolean isVirtualAsleep;

    DatagramSleeper(Accelerator accelerator, DatagramSocket socket, DatagramHalf half) {
        this.accelerator = accelerator;
        this.socket = socket;
        this.half = half;
    }

    /** Waits until there may be a datagram to receive, the socket was closed, or the thread was interrupted. */
    void await(long timeoutNanos) throws IOException {
        if (VirtualThreads.isCurrent()) {
            awaitVirtually(timeoutNanos);
            return;
        }
        if (poller == null) {
            if (!DescriptorShare.tryTake(DESCRIPTORS)) {
                awaitVirtually(timeoutNanos);
                return;
            }
            if (!open()) {
                return;
            }
        }
        if (half.hasTasks()) {
            return;
        }
        asleep = Thread.currentThread();
        try {
            poller.poll(timeoutNanos, NOTHING);
        } finally {
            asleep = null;
        }
    }

    private void awaitVirtually(long timeoutNanos) throws IOException {
        isVirtualAsleep = true;
        try {
            if (!half.hasTasks()) {
                accelerator.waits().await(socket, SelectionKey.OP_READ, timeoutNanos);
            }
        } finally {
            isVirtualAsleep = false;
        }
    }

    private boolean open() throws IOException {
        Poller opened = null;
        try {
            opened = accelerator.openPoller();
        } finally {
            if (opened == null) {
                DescriptorShare.giveBack(DESCRIPTORS);
            }
        }
        poller = opened;
        try {
            opened.register(socket, SelectionKey.OP_READ, this);
            return true;
        } catch (ClosedChannelException e) {
            close(); // the receive will find the socket closed
            return false;
        }
    }

    @Override
    public void released() {
        wake();
    }

    @Override
    public boolean isInterrupted() {
        Thread thread = asleep;
        return thread != null && thread.isInterrupted();
    }

    /** Ends the wait that is under way, or the next one. Any thread. */
    void wake() {
        Poller waiting = poller;
        if (waiting != null) {
            waiting.wakeup();
        }
        if (isVirtualAsleep) {
            accelerator.waits().wakeVirtual(socket);
        }
    }

    /** Closes the poller. Called after the socket's registrations were closed. */
    void close() {
        Poller idle = poller;
        poller = null;
        if (idle != null) {
            try {
                idle.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException("closing a selector failed", e);
            } finally {
                DescriptorShare.giveBack(DESCRIPTORS);
            }
        }
    }
}
