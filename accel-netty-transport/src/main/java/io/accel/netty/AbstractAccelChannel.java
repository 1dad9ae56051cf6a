// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.poll.Pollable;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;

/**
 * A channel that an {@link AccelIoHandler} waits for: its registration and its interest set. As with Netty's other transports,
 * everything here happens in the event loop unless stated otherwise.
 */
abstract class AbstractAccelChannel extends AbstractChannel {
    private final Runnable clearReadPending = this::clearReadPending0;
    private final AccelIoOps readOps;

    private IoRegistration registration;
    private AccelIoOps ops = AccelIoOps.NONE;
    /** Whether a read was requested and has not brought anything yet. */
    boolean readPending;

    AbstractAccelChannel(Channel parent, AccelIoOps readOps) {
        super(parent);
        this.readOps = readOps;
    }

    /** Returns the object that the poller polls. */
    abstract Pollable pollable();

    // ---- registration

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(AbstractAccelUnsafe.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register((AbstractAccelUnsafe) unsafe()).addListener(future -> {
            if (future.isSuccess()) {
                registration = (IoRegistration) future.getNow();
                resubmit();
                promise.setSuccess();
                watchEnd();
            } else {
                promise.setFailure(future.cause());
            }
        });
    }

    @Override
    protected void doDeregister() throws Exception {
        IoRegistration ended = registration;
        if (ended != null) {
            registration = null;
            ops = ops.without(readOps).without(AccelIoOps.END); // the next event loop starts reading by itself
            ended.cancel();
        }
    }

    // ---- interest

    final void addOps(AccelIoOps more) {
        if (!ops.contains(more)) {
            submit(ops.with(more));
        }
    }

    final void removeOps(AccelIoOps fewer) {
        if (!ops.without(fewer).equals(ops)) {
            submit(ops.without(fewer));
        }
    }

    final boolean hasOps(AccelIoOps some) {
        return ops.contains(some);
    }

    private void submit(AccelIoOps changed) {
        ops = changed;
        resubmit();
    }

    private void resubmit() {
        if (registration != null) {
            // The kernel reports a socket that is not connected as readable, for want of anything to wait for.
            registration.submit(isActive() ? ops : ops.without(readOps));
        }
    }

    /** Called when the channel has become active: it may now read, if a read was requested, or wait for the end. */
    final void activated() {
        resubmit();
        watchEnd();
    }

    @Override
    protected void doBeginRead() throws Exception {
        if (registration != null && registration.isValid()) {
            readPending = true;
            if (!ops.contains(readOps)) {
                submit(ops.with(readOps).without(AccelIoOps.END));
            }
        }
    }

    /** Whether it makes sense to wait for the end of the input while no handler wants to read. */
    boolean canEnd() {
        return false;
    }

    /** Waits for the end, if no handler wants to read. */
    private void watchEnd() {
        if (!ops.contains(readOps) && canEnd()) {
            addOps(AccelIoOps.END);
        }
    }

    /** Called when no handler wants to read any more; any thread. */
    final void clearReadPending() {
        if (!isRegistered()) {
            readPending = false;
            return;
        }
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            clearReadPending0();
        } else {
            loop.execute(clearReadPending);
        }
    }

    private void clearReadPending0() {
        readPending = false;
        stopReading();
    }

    private void stopReading() {
        if (ops.contains(readOps)) {
            submit(ops.without(readOps).with(canEnd() ? AccelIoOps.END : AccelIoOps.NONE));
        }
    }

    /** Called after a read: stays interested only if a handler wants more. */
    final void stopReadingUnlessWanted() {
        if (!readPending && !config().isAutoRead()) {
            stopReading();
            if (!canEnd()) {
                removeOps(AccelIoOps.END);
            }
        }
    }

    abstract class AbstractAccelUnsafe extends AbstractUnsafe implements AccelIoHandle {
        @Override
        public final Pollable pollable() {
            return AbstractAccelChannel.this.pollable();
        }

        /** Returns the handle as the extended kind, which every current allocator makes; Netty's epoll transport does the same. */
        @Override
        public RecvByteBufAllocator.ExtendedHandle recvBufAllocHandle() {
            return (RecvByteBufAllocator.ExtendedHandle) super.recvBufAllocHandle();
        }

        @Override
        public final void close() {
            close(voidPromise());
        }

        @Override
        public final void handle(IoRegistration from, IoEvent event) {
            AccelIoOps ready = ((AccelIoEvent) event).ops();
            if (ready.contains(AccelIoOps.CONNECT)) {
                connectReady();
            }
            // Writing comes before reading, as it frees memory.
            if (ready.contains(AccelIoOps.WRITE) || ready.contains(AccelIoOps.SENT)) {
                writeReady();
            }
            if (ready.contains(readOps)) {
                read();
            } else if (ready.contains(AccelIoOps.END)) {
                endReady();
            }
        }

        abstract void read();

        void endReady() {}

        void connectReady() {}

        void writeReady() {}
    }
}
