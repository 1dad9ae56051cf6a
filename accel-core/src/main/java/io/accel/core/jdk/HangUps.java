// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntConsumer;

/**
 * An {@code epoll} of its own for sockets of the JDK's, which tells only that a connection has failed or is over in both directions, and
 * never that bytes have come. The JDK's selectors have no such interest: they drop a key that has none. A socket is registered by its
 * descriptor alone, in either blocking mode, and the JDK does not know of it.
 *
 * <p>Each change of a socket is told once (edge-triggered), so a connection that stays over costs nothing.
 *
 * <p>{@link #add}, {@link #remove} and {@link #wakeUp} may be called by any thread; {@link #await} by one at a time. It takes one descriptor.
 */
public final class HangUps {
    /** Linux's constants, for which the JDK has no names. The kernel adds {@code EPOLLERR} and {@code EPOLLHUP} to each interest. */
    private static final int EDGE_TRIGGERED = 1 << 31;

    private static final int CTL_ADD = 1;
    private static final int CTL_DEL = 2;
    private static final int CTL_MOD = 3;
    private static final int EEXIST = 17;
    /** How many events are taken at a time. */
    private static final int EVENTS = 64;

    private final Handles handles;
    private final int epoll;
    private final long events;

    // The waiting thread's: how many events the kernel has told last, and how many of them were passed on. It tells
    // each once.
    private int told;
    private int passed;

    private HangUps(Handles handles) throws IOException {
        this.handles = handles;
        try {
            this.events = (long) handles.allocate.invoke(EVENTS); // first: a failure behind it costs no descriptor
            this.epoll = (int) handles.create.invoke();
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /**
     * Opens one, for as long as the process lives.
     *
     * @return null where this JVM does not allow it
     * @throws IOException if there is no descriptor left
     */
    public static HangUps open() throws IOException {
        return Holder.HANDLES == null ? null : new HangUps(Holder.HANDLES);
    }

    /**
     * Watches a socket until it is {@linkplain #remove removed} or its connection is closed. If it has hung up already, that is told.
     *
     * @param socket a channel or a {@link java.net.SocketImpl} of the JDK's own, connected
     * @return the number by which {@link #await} tells of it: that of its descriptor
     * @throws IOException if it is closed, or the kernel watches no more
     */
    public int add(Object socket) throws IOException {
        int number;
        int error;
        try {
            number = (int) handles.number.invoke(handles.descriptor.of(socket));
            error = control(CTL_ADD, number, EDGE_TRIGGERED);
            if (error == EEXIST) { // a connection that has this number no more, but lives, since a child process has it
                error = control(CTL_MOD, number, EDGE_TRIGGERED);
            }
        } catch (Throwable e) {
            throw failure(e);
        }
        if (error != 0) {
            throw new IOException("epoll_ctl failed with error " + error);
        }
        return number;
    }

    /** Ends the watch of the socket that has a number now, if there is one. Call it before the socket is closed. */
    public void remove(int number) {
        try {
            int unused = control(CTL_DEL, number, 0); // it may have closed itself
        } catch (Throwable e) {
            throw new IllegalStateException(e); // the method throws nothing
        }
    }

    private int control(int what, int number, int interest) throws Throwable {
        return (int) handles.control.invoke(epoll, what, number, interest);
    }

    /**
     * Waits until there is something to tell, and tells it. If the receiver throws, it is told the same again by the next call.
     *
     * @param millis how long to wait at most; 0 not to wait, negative for no limit
     * @param receiver receives the number of each socket that may have hung up. It may have another connection's number by then, so the
     *     receiver asks the socket
     * @throws IOException if the kernel's call fails
     */
    public void await(int millis, IntConsumer receiver) throws IOException {
        int wait = millis;
        do {
            try {
                if (passed == told) {
                    passed = 0;
                    told = 0;
                    told = Math.max(
                            0, (int) handles.await.invoke(epoll, events, EVENTS, wait)); // negative after a signal
                }
                while (passed < told) {
                    receiver.accept((int) handles.numberAt.invoke((long) handles.event.invoke(events, passed)));
                    passed++;
                }
            } catch (Throwable e) {
                throw failure(e);
            }
            wait = 0;
        } while (told == EVENTS);
    }

    /**
     * Ends the wait of the thread in {@link #await}, or its next one, for a process that ends: it takes a descriptor for good.
     *
     * @throws IOException if there is no descriptor left
     */
    public void wakeUp() throws IOException {
        int unused = add(
                JdkAccess.kernelProvider().openSocketChannel()); // to the kernel, one that is not connected has hung up
    }

    private static IOException failure(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return e instanceof IOException failed ? failed : new IOException(e);
    }

    private record Handles(
            SocketDescriptor descriptor,
            MethodHandle number,
            MethodHandle create,
            MethodHandle control,
            MethodHandle await,
            MethodHandle allocate,
            MethodHandle event,
            MethodHandle numberAt) {}

    private static final class Holder {
        static final Handles HANDLES = find();

        private Holder() {}

        private static Handles find() {
            try {
                MethodHandles.Lookup lookup = TrustedLookup.orRefused("no trusted lookup");
                Class<?> epoll = TrustedLookup.internal("sun.nio.ch.EPoll");
                Class<?> util = TrustedLookup.internal("sun.nio.ch.IOUtil");
                return new Handles(
                        new SocketDescriptor(lookup),
                        lookup.findStatic(util, "fdVal", MethodType.methodType(int.class, FileDescriptor.class)),
                        lookup.findStatic(epoll, "create", MethodType.methodType(int.class)),
                        lookup.findStatic(
                                epoll,
                                "ctl",
                                MethodType.methodType(int.class, int.class, int.class, int.class, int.class)),
                        lookup.findStatic(
                                epoll,
                                "wait",
                                MethodType.methodType(int.class, int.class, long.class, int.class, int.class)),
                        lookup.findStatic(epoll, "allocatePollArray", MethodType.methodType(long.class, int.class)),
                        lookup.findStatic(epoll, "getEvent", MethodType.methodType(long.class, long.class, int.class)),
                        lookup.findStatic(epoll, "getDescriptor", MethodType.methodType(int.class, long.class)));
            } catch (Throwable e) {
                Log.of(HangUps.class)
                        .get()
                        .log(Level.DEBUG, "this JVM does not tell when a connection that is not used hangs up", e);
                return null;
            }
        }
    }
}
