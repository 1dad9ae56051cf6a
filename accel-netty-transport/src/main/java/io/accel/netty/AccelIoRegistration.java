package io.accel.netty;

import io.accel.core.poll.Registration;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;

/** A handle's registration with an {@link AccelIoHandler}. Ops may be submitted by the event loop only. */
final class AccelIoRegistration implements IoRegistration {
    private final AccelIoHandler handler;
    final AccelIoHandle handle;
    private Registration registration;
    private volatile boolean cancelled;

    /** Place among the handler's registrations. Event loop only. */
    int index;
    /** What was found ready in this run, 0 outside of the handler's batch. Event loop only. */
    int ready;

    AccelIoRegistration(AccelIoHandler handler, AccelIoHandle handle) {
        this.handler = handler;
        this.handle = handle;
    }

    void registered(Registration made) {
        registration = made;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the interface leaves the type to who asks
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
        if (cancelled) {
            return false;
        }
        cancelled = true;
        handler.remove(this);
        registration.close();
        handle.unregistered();
        return true;
    }

    void handle(int ops) {
        if (!cancelled) {
            handle.handle(this, AccelIoOps.valueOf(ops).event());
        }
    }
}
