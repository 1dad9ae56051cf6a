// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Asks the kernel which operations a socket of the JDK's is ready for; the JDK tells that only of non-blocking
 * channels.
 */
final class SocketPoll {
    /** Linux's constant, for which the JDK has no name. */
    private static final short POLLRDHUP = 0x2000;

    private static final int POLLERR = 8;
    private static final int POLLHUP = 16;

    private SocketPoll() {}

    /** Whether a write would not wait; true also where this JVM does not allow the question. */
    static boolean hasRoom(Object socket) throws IOException {
        Handles handles = Holder.HANDLES;
        return handles == null || isReady(handles, socket, handles.out);
    }

    /**
     * Whether the peer has closed or ended its sending, or the connection is reset; bytes may be left to read. False
     * also where this JVM does not allow the question.
     */
    static boolean hasEnded(Object socket) throws IOException {
        Handles handles = Holder.HANDLES;
        return handles != null && isReady(handles, socket, POLLRDHUP);
    }

    /** Whether nothing goes either way any more. False also where this JVM does not allow the question. */
    static boolean hasHungUp(Object socket) throws IOException {
        return has(socket, POLLHUP);
    }

    /** Whether {@link #hasHungUp}, with an error that nobody has been told. */
    static boolean hasFailed(Object socket) throws IOException {
        return has(socket, POLLHUP | POLLERR);
    }

    private static boolean has(Object socket, int all) throws IOException {
        Handles handles = Holder.HANDLES;
        return handles != null && (poll(handles, socket, (short) 0) & all) == all;
    }

    private static boolean isReady(Handles handles, Object socket, short events) throws IOException {
        return poll(handles, socket, events) != 0;
    }

    private static int poll(Handles handles, Object socket, short events) throws IOException {
        try {
            return (int) handles.poll.invoke(handles.descriptor.of(socket), (int) events, 0L);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not say what " + socket + " is ready for", e);
        }
    }

    private record Handles(SocketDescriptor descriptor, MethodHandle poll, short out) {}

    private static final class Holder {
        static final Handles HANDLES = find();

        private Holder() {}

        private static Handles find() {
            try {
                MethodHandles.Lookup lookup = TrustedLookup.orRefused("no trusted lookup");
                Class<?> net = TrustedLookup.internal("sun.nio.ch.Net");
                return new Handles(
                        new SocketDescriptor(lookup),
                        lookup.findStatic(
                                net,
                                "poll",
                                MethodType.methodType(int.class, FileDescriptor.class, int.class, long.class)),
                        (short) lookup.findStaticGetter(net, "POLLOUT", short.class)
                                .invoke());
            } catch (Throwable e) {
                Log.of(SocketPoll.class)
                        .get()
                        .log(System.Logger.Level.DEBUG, "this JVM does not say what a socket is ready for", e);
                return null;
            }
        }
    }
}
