// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pollable whose memory is a field and whose doorbell is a pipe. It fails a test that lets a poller look at it when
 * it has no registration any more.
 */
final class FakeLink implements Pollable, AutoCloseable {
    private final Pipe pipe;
    private volatile int ready;
    private final AtomicInteger armed = new AtomicInteger();
    private final AtomicInteger registrations = new AtomicInteger();
    private volatile boolean closed;

    final AtomicInteger looks = new AtomicInteger();
    final AtomicInteger rings = new AtomicInteger();
    final AtomicInteger timeouts = new AtomicInteger();
    final AtomicInteger releases = new AtomicInteger();
    volatile long deadline = Long.MAX_VALUE;
    volatile boolean polled = true;
    volatile boolean remote;
    /** Done while this is being registered, before its channel is watched. */
    volatile Registering whileRegistering = registration -> {};

    volatile Throwable violation;
    /** The interest that is ready only once the doorbell was heard, as on a pollable whose look does not see everything. */
    volatile int readyWhenHeard;

    /** An action that runs while this is being registered. */
    interface Registering {
        void with(Registration registration) throws IOException;
    }

    FakeLink() throws IOException {
        pipe = JdkAccess.kernelProvider().openPipe();
        pipe.source().configureBlocking(false);
        pipe.sink().configureBlocking(false);
    }

    /** The peer: stores first, then looks for sleepers. */
    void make(int ops) {
        ready = ops;
        if (ops != 0 && (armed.get() & ops) != 0 && armed.getAndSet(0) != 0) {
            rings.incrementAndGet();
            try {
                pipe.sink().write(ByteBuffer.allocate(1));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The peer makes an interest ready that is found only by the doorbell. */
    void makeUnseen(int ops) throws IOException {
        readyWhenHeard = ops;
        pipe.sink().write(ByteBuffer.allocate(1));
    }

    boolean isArmed() {
        return armed.get() != 0;
    }

    @Override
    public SelectableChannel watched() {
        return pipe.source();
    }

    @Override
    public int watchedOps(int interest) {
        return SelectionKey.OP_READ;
    }

    @Override
    public boolean isPolled() {
        return polled;
    }

    @Override
    public boolean isRemote() {
        return remote;
    }

    @Override
    public int look(int interest) {
        inUse("look");
        looks.incrementAndGet();
        return ready & interest;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        inUse("kernelReady");
        if (watchedReady == 0) {
            timeouts.incrementAndGet();
            deadline = Long.MAX_VALUE;
            ready = SelectionKey.OP_CONNECT;
        } else if (readyWhenHeard != 0) {
            ready = readyWhenHeard;
        }
        try {
            pipe.source().read(ByteBuffer.allocate(16));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return 0;
    }

    @Override
    public void arm(int interest) {
        inUse("arm");
        armed.getAndUpdate(old -> old | interest);
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public synchronized boolean retained(Registration registration) {
        if (closed) {
            return false;
        }
        registrations.incrementAndGet();
        try {
            whileRegistering.with(registration);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return true;
    }

    @Override
    public void released(Registration registration) {
        releases.incrementAndGet();
        if (registrations.decrementAndGet() < 0) {
            violate("released more often than registered");
        }
    }

    boolean isRegistered() {
        return registrations.get() > 0;
    }

    private void inUse(String what) {
        if (registrations.get() == 0) {
            violate(what + " without a registration");
        }
    }

    private void violate(String what) {
        if (violation == null) {
            violation = new AssertionError(what);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        pipe.source().close();
        pipe.sink().close();
    }
}
