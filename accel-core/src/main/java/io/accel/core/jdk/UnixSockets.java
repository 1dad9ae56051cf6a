// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.SocketChannel;

/** Asks the kernel for facts about Unix-domain channels that the JDK does not tell. */
final class UnixSockets {
    /** Linux's constants, for which the JDK has no names. */
    private static final int SOL_SOCKET = 1;

    private static final int SO_PEERCRED = 17;

    private UnixSockets() {}

    /** As {@link JdkAccess#knowsUnixSockets}. */
    static boolean areKnown() {
        return Holder.HANDLES != null;
    }

    /** As {@link JdkAccess#peerProcess}. */
    static int peerProcess(SocketChannel channel) throws IOException {
        Handles handles = Holder.HANDLES;
        if (handles == null) {
            return 0;
        }
        try {
            FileDescriptor descriptor = handles.descriptor.of(channel);
            // The first of the three numbers that the kernel has for the option.
            return (int) handles.option.invoke(descriptor, false, SOL_SOCKET, SO_PEERCRED);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not say which process is behind " + channel, e);
        }
    }

    /** As {@link JdkAccess#available}. */
    static int available(SocketChannel channel) throws IOException {
        Handles handles = Holder.HANDLES;
        if (handles == null) {
            throw new IOException("this JVM does not say how many bytes have come");
        }
        try {
            return (int) handles.available.invoke(channel);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not say how many bytes have come to " + channel, e);
        }
    }

    private record Handles(SocketDescriptor descriptor, MethodHandle option, MethodHandle available) {}

    private static final class Holder {
        static final Handles HANDLES = find();

        private Holder() {}

        /** Returns null where this JVM does not show them. */
        private static Handles find() {
            try {
                MethodHandles.Lookup lookup = TrustedLookup.orRefused("no trusted lookup");
                return new Handles(
                        new SocketDescriptor(lookup),
                        lookup.findStatic(
                                TrustedLookup.internal("sun.nio.ch.Net"),
                                "getIntOption0",
                                MethodType.methodType(
                                        int.class, FileDescriptor.class, boolean.class, int.class, int.class)),
                        lookup.findVirtual(
                                TrustedLookup.internal("sun.nio.ch.SocketChannelImpl"),
                                "available",
                                MethodType.methodType(int.class)));
            } catch (Throwable e) {
                Log.of(UnixSockets.class)
                        .get()
                        .log(
                                System.Logger.Level.DEBUG,
                                "this JVM does not say who is behind a socket: Unix-domain streams stay with the kernel",
                                e);
                return null;
            }
        }
    }
}
