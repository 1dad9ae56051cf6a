// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * Makes a channel of the JDK's around a second descriptor of a socket: the connection lives on when the first one is
 * closed. The JDK duplicates descriptors that {@code inetd} hands it, and makes channels of those that it accepts.
 */
final class DuplicateSocket {
    private DuplicateSocket() {}

    /** As {@link JdkAccess#duplicate}. */
    static SocketChannel of(Object socket, InetSocketAddress remote) throws IOException {
        Handles handles = Holder.HANDLES;
        if (handles == null) {
            return null;
        }
        try {
            int second = (int) handles.duplicate.invoke((int) handles.number.invoke(handles.descriptor.of(socket)));
            return channel(handles, (FileDescriptor) Descriptors.maker().invokeExact(second), remote);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not duplicate the descriptor of " + socket, e);
        }
    }

    private static SocketChannel channel(Handles handles, FileDescriptor second, InetSocketAddress remote)
            throws Throwable {
        try {
            ProtocolFamily family =
                    StandardProtocolFamily.INET; // the family of the channel's options, which are those of TCP
            return (SocketChannel)
                    handles.channel.invoke(JdkAccess.kernelProvider(), family, second, (SocketAddress) remote);
        } catch (Throwable e) {
            JdkAccess.selectable(second).close(); // which has the descriptor now, and no other use
            throw e;
        }
    }

    private record Handles(
            SocketDescriptor descriptor, MethodHandle number, MethodHandle duplicate, MethodHandle channel) {}

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
                                TrustedLookup.internal("sun.nio.ch.IOUtil"),
                                "fdVal",
                                MethodType.methodType(int.class, FileDescriptor.class)),
                        lookup.findStatic(
                                TrustedLookup.internal("sun.nio.ch.InheritedChannel"),
                                "dup",
                                MethodType.methodType(int.class, int.class)),
                        lookup.findConstructor(
                                TrustedLookup.internal("sun.nio.ch.SocketChannelImpl"),
                                MethodType.methodType(
                                        void.class,
                                        SelectorProvider.class,
                                        ProtocolFamily.class,
                                        FileDescriptor.class,
                                        SocketAddress.class)));
            } catch (Throwable e) {
                Log.of(DuplicateSocket.class)
                        .get()
                        .log(
                                System.Logger.Level.DEBUG,
                                "this JVM duplicates no descriptors: a link that breaks after a close may lose bytes",
                                e);
                return null;
            }
        }
    }
}
