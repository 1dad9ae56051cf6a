// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.poll.Registration;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A handle's registration with an {@link AccelIoHandler}. Any thread may cancel it; only the event loop submits ops. */
final class AccelIoRegistration implements IoRegistration {
    private static final VarHandle CANCELLED;

    static {
        try {
            CANCELLED = MethodHandles.lookup()
                    .findVarHandle(AccelIoRegistration.class, "cancelled", boolean.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AccelIoHandler handler;
    final AccelIoHandle handle;
    /** Written by the event loop before it hands this out. */
    private Registration registration;
    /** Set once, by the first thread that cancels. */
    private volatile boolean cancelled;

    /** The place among the handler's registrations. Event loop only. */
    int index;
    /** The ops found ready in this run, 0 outside of the handler's batch. Event loop only. */
    int ready;
    /** Whether the handler has forgotten this registration, and its handle was told. Event loop only. */
    private boolean ended;

    AccelIoRegistration(AccelIoHandler handler, AccelIoHandle handle) {
        this.handler = handler;
        this.handle = handle;
    }

    void registered(Registration made) {
        registration = made;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the interface leaves the type to the caller
    public <T> T attachment() {
        return (T) registration;
    }

    @Override
    public long submit(IoOps ops) {
        if (cancelled) {
            return -1;
        }
        if (!(ops instanceof AccelIoOps accelOps)) {
            throw new IllegalArgumentException("not AccelIoOps: " + ops);
        }
        registration.interest(accelOps.value());
        return accelOps.value();
    }

    @Override
    public boolean isValid() {
        return !cancelled;
    }

    @Override
    public boolean cancel() {
        if (!(boolean) CANCELLED.compareAndSet(this, false, true)) {
            return false;
        }
        registration.close();
        handler.end(this);
        return true;
    }

    /** Does the event loop's part of cancelling. A second call does nothing. */
    void end() {
        if (!ended) {
            ended = true;
            handler.remove(this);
            handle.unregistered();
        }
    }

    void handle(int ops) {
        if (!cancelled) {
            handle.handle(this, AccelIoOps.valueOf(ops).event());
        }
    }
}
