// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.locks.LockSupport;

/** Tells virtual threads from platform threads on a JDK that has them; on others every thread is a platform thread. */
public final class VirtualThreads {
    private static final MethodHandle IS_VIRTUAL = find();

    /** How long {@link #parkBriefly} parks: a carrier turns to other threads and back in less. */
    private static final long BRIEFLY_NANOS = 20_000;

    private VirtualThreads() {}

    /** Whether the current thread is a virtual one. */
    public static boolean isCurrent() {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.isVirtual failed", e);
        }
    }

    /**
     * Parks the current thread for a moment, if it is a virtual one, so that others have its carrier. {@link Thread#yield} would not do: a
     * carrier first runs the threads that it made ready itself, the yielding one among them, and may never come to those that were made
     * ready elsewhere, which are all those that slept.
     *
     * @return false if the current thread is a platform thread, which spins or yields instead
     */
    public static boolean parkBriefly() {
        if (!isCurrent()) {
            return false;
        }
        LockSupport.parkNanos(BRIEFLY_NANOS);
        return true;
    }

    /**
     * Whether {@link #parkAt} parks at a channel.
     *
     * @param channel the channel to wait for; null for none
     */
    public static boolean canParkAt(SelectableChannel channel) {
        Parking parking = Parking.FOUND;
        return parking != null && parking.kind.isInstance(channel);
    }

    /**
     * Parks the current virtual thread until a channel can be read, as the JDK parks virtual threads that read from
     * its own channels: its pollers share the carriers with the threads that they wake. It returns at once if the
     * channel can be read or is closed. It also returns if the thread is unparked or interrupted, or without cause.
     *
     * @param channel a channel that {@link #canParkAt} accepts; no other virtual thread may wait for it
     * @param nanos how long at most; negative for no limit
     * @throws IOException if the kernel refuses to watch it
     */
    public static void parkAt(SelectableChannel channel, long nanos) throws IOException {
        Parking parking = Parking.FOUND;
        try {
            parking.park.invokeExact(channel, parking.in, nanos < 0 ? 0 : Math.max(1, nanos));
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not wait for " + channel, e);
        }
    }

    private static MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            return null; // before JDK 21
        }
    }

    /** The means by which the JDK's own channels park a virtual thread. */
    private record Parking(Class<?> kind, MethodHandle park, int in) {
        /** Null where this JVM has no virtual threads, or does not allow parking them so. */
        static final Parking FOUND = IS_VIRTUAL == null ? null : find();

        private static Parking find() {
            try {
                MethodHandles.Lookup lookup = TrustedLookup.orRefused("no trusted lookup");
                Class<?> kind = TrustedLookup.internal("sun.nio.ch.SelChImpl");
                MethodType park = MethodType.methodType(void.class, int.class, long.class);
                short in =
                        (short) lookup.findStaticGetter(TrustedLookup.internal("sun.nio.ch.Net"), "POLLIN", short.class)
                                .invoke();
                return new Parking(
                        kind,
                        lookup.findVirtual(kind, "park", park)
                                .asType(park.insertParameterTypes(0, SelectableChannel.class)),
                        in);
            } catch (Throwable e) {
                Log.of(VirtualThreads.class)
                        .get()
                        .log(
                                Level.DEBUG,
                                "the JDK parks no virtual threads for others; a thread of Accel's wakes them",
                                e);
                return null;
            }
        }
    }
}
