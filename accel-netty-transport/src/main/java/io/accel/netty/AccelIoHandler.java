// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.core.socket.Relief;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Waits for accelerated and kernel connections alike, for one event loop:
 *
 * <pre>{@code
 * new MultiThreadIoEventLoopGroup(AccelIoHandler.newFactory())
 * }</pre>
 *
 * <p>The profile decides how it waits: {@code poll.spin} is how long a loop goes on looking after traffic before it sleeps. An {@link
 * AccelIoHandlerConfig} overrides that for the loops of one group. Scheduled tasks run some microseconds after their time.
 *
 * <p>Handlers run after the poll, never within it, so they may register, close and change interest as they like.
 */
public final class AccelIoHandler implements IoHandler {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelIoHandler.class);

    private final ThreadAwareExecutor executor;
    private final Poller poller;
    private final Poller.Sink intoBatch = this::addToBatch;

    // Event loop only.
    private AccelIoRegistration[] batch = new AccelIoRegistration[16];
    private int batched;
    private final List<AccelIoRegistration> registrations = new ArrayList<>();

    private AccelIoHandler(ThreadAwareExecutor executor, AccelIoHandlerConfig config) {
        this.executor = executor;
        try {
            this.poller = Relief.run(() -> new Poller(config.pollConfig()), Accel.accelerator());
        } catch (IOException e) {
            throw new ChannelException("cannot open a poller", e);
        }
    }

    /**
     * Returns the factory to give to a {@link io.netty.channel.MultiThreadIoEventLoopGroup} whose loops wait as the process's profile
     * says.
     *
     * @return the factory
     * @throws UnsatisfiedLinkError if the transport {@linkplain Accel#isAvailable() is not available}
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static IoHandlerFactory newFactory() {
        return newFactory(AccelIoHandlerConfig.ofProcess());
    }

    /**
     * Returns the factory for a group whose loops wait in a way of their own.
     *
     * @param config how its loops wait
     * @return the factory
     * @throws UnsatisfiedLinkError if the transport {@linkplain Accel#isAvailable() is not available}
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static IoHandlerFactory newFactory(AccelIoHandlerConfig config) {
        Objects.requireNonNull(config, "config");
        Accel.ensureAvailability();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor ioExecutor) {
                return new AccelIoHandler(ioExecutor, config);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return true;
            }
        };
    }

    @Override
    public int run(IoHandlerContext context) {
        try {
            poll(context);
            if (!context.shouldReportActiveIoTime()) {
                return handleBatch();
            }
            long start = System.nanoTime();
            int handled = handleBatch();
            context.reportActiveIoTime(System.nanoTime() - start);
            return handled;
        } catch (IOException | RuntimeException | Error e) {
            rethrowDeath(e);
            loopFailed(e); // an error concerns one connection, and the loop serves all
            return 0;
        }
    }

    private void poll(IoHandlerContext context) throws IOException {
        long timeout = 0;
        if (context.canBlock()) {
            timeout = Math.max(0, context.delayNanos(System.nanoTime()));
        }
        if (timeout == 0) {
            poller.glance(intoBatch);
        } else if (poller.pollPunctually(timeout, intoBatch) == 0 && Thread.interrupted()) {
            LOG.debug("the event loop's thread was interrupted, and goes on: a loop is ended by shutdownGracefully()");
        }
    }

    private void addToBatch(Registration core, int ops) {
        AccelIoRegistration registration = (AccelIoRegistration) core.attachment();
        if (registration.ready == 0) {
            if (batched == batch.length) {
                batch = Arrays.copyOf(batch, batched * 2);
            }
            batch[batched++] = registration;
        }
        registration.ready |= ops;
    }

    private int handleBatch() {
        int handled = batched;
        for (int i = 0; i < handled; i++) {
            AccelIoRegistration registration = batch[i];
            if (registration == null) {
                continue; // it was handled before an error that has ended the turn
            }
            batch[i] = null;
            int ops = registration.ready;
            registration.ready = 0;
            try {
                registration.handle(ops);
            } catch (RuntimeException e) {
                warn("a handle failed to handle what it was ready for: {}", registration.handle, e);
            } catch (Error e) {
                rethrowDeath(e);
                failed(registration, e);
            }
        }
        batched = 0;
        return handled;
    }

    /** Closes a channel whose handling has met an error. The others of the batch are handled. */
    private static void failed(AccelIoRegistration registration, Error e) {
        warn("a handle met an error, and is closed: {}", registration.handle, e);
        close(registration);
    }

    /** Logs, and throws nothing: memory or stack may have run out, and others wait for their turn. */
    private static void warn(String message, Object about, Throwable cause) {
        try {
            LOG.warn(message, about, cause);
        } catch (Throwable e) {
            rethrowDeath(e);
        }
    }

    private static void close(AccelIoRegistration registration) {
        try {
            registration.handle.close();
        } catch (Exception | Error e) {
            warn("closing {} failed", registration.handle, e);
        }
    }

    @SuppressWarnings("removal") // a loop whose thread is stopped ends
    private static void rethrowDeath(Throwable e) {
        if (e instanceof ThreadDeath death) {
            throw death;
        }
    }

    /** Logs the failure and pauses, so that a failure that repeats itself does not take a core, as in Netty's own handlers. */
    private static void loopFailed(Throwable e) {
        warn("unexpected exception in {}", "the event loop", e);
        try {
            TimeUnit.SECONDS.sleep(1);
        } catch (InterruptedException interrupted) {
            LOG.debug("interrupted in the pause after a failure", interrupted);
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) throws ClosedChannelException {
        AccelIoHandle accelHandle = cast(handle);
        AccelIoRegistration registration = new AccelIoRegistration(this, accelHandle);
        registration.registered(poller.register(accelHandle.pollable(), 0, registration));
        registration.index = registrations.size();
        registrations.add(registration);
        handle.registered();
        return registration;
    }

    private static AccelIoHandle cast(IoHandle handle) {
        if (handle instanceof AccelIoHandle accelHandle) {
            return accelHandle;
        }
        throw new IllegalArgumentException(
                "not an AccelIoHandle: " + handle.getClass().getName());
    }

    /** Ends a cancelled registration in the event loop. Any thread. */
    void end(AccelIoRegistration registration) {
        if (executor.isExecutorThread(Thread.currentThread())) {
            registration.end();
            return;
        }
        try {
            executor.execute(registration::end);
        } catch (RejectedExecutionException e) {
            LOG.debug("the event loop of {} is over, and has ended its registration", registration.handle, e);
        }
    }

    /** Event loop only. */
    void remove(AccelIoRegistration registration) {
        AccelIoRegistration last = registrations.remove(registrations.size() - 1);
        if (last != registration) {
            registrations.set(registration.index, last);
            last.index = registration.index;
        }
    }

    @Override
    public void prepareToDestroy() {
        for (AccelIoRegistration registration : List.copyOf(registrations)) {
            end(registration, "at the end of its event loop");
            close(registration);
        }
    }

    /** Ends a registration. An error of one keeps no other from its end. */
    private static void end(AccelIoRegistration registration, String when) {
        try {
            registration.cancel();
            registration.end(); // in case another thread cancelled it and its notice comes too late
        } catch (RuntimeException | Error e) {
            LOG.warn("ending the registration of {} {} failed", registration.handle, when, e);
        }
    }

    /** Ends the registrations that are left: with a quiet period of 0 Netty may call this without {@link #prepareToDestroy}. */
    @Override
    public void destroy() {
        for (AccelIoRegistration registration : List.copyOf(registrations)) {
            end(registration, "after its event loop");
        }
        try {
            poller.close();
        } catch (IOException e) {
            LOG.warn("closing a poller failed", e);
        }
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread())) {
            poller.wakeup();
        }
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return AccelIoHandle.class.isAssignableFrom(handleType);
    }
}
