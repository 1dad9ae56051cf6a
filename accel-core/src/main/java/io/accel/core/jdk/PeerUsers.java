// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Log;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.SocketChannel;

/**
 * Asks the kernel which user is at the other end of a Unix-domain channel, by number. The JDK's option {@code SO_PEERCRED} also asks for
 * the names of the user and of the group, and a name service may take minutes.
 */
final class PeerUsers {
    private PeerUsers() {}

    /** As {@link JdkAccess#peerUser}. */
    static long of(SocketChannel channel) throws IOException {
        Handles handles = Holder.HANDLES;
        if (handles == null) {
            return JdkAccess.UNKNOWN_USER;
        }
        try {
            int descriptor = (int) handles.number.invoke(handles.descriptor.of(channel));
            // The user's number is in the upper half, the group's in the lower.
            return (long) handles.credentials.invoke(descriptor) >>> Integer.SIZE;
        } catch (ClassCastException e) {
            return JdkAccess.UNKNOWN_USER; // no channel of the JDK's own
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not say which user is behind " + channel, e);
        }
    }

    private record Handles(SocketDescriptor descriptor, MethodHandle number, MethodHandle credentials) {}

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
                                TrustedLookup.internal("jdk.net.LinuxSocketOptions"),
                                "getSoPeerCred0",
                                MethodType.methodType(long.class, int.class)));
            } catch (Throwable e) {
                Log.of(PeerUsers.class)
                        .get()
                        .log(
                                System.Logger.Level.DEBUG,
                                "this JVM does not say by number which user is behind a socket: names are looked up",
                                e);
                return null;
            }
        }
    }
}
