// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.lang.invoke.MethodHandles;
import java.net.DatagramSocket;
import java.net.SocketAddress;

/**
 * The argument that a {@link DatagramSocket} which overrides all methods gives its constructor: the address by which
 * the JDK's own adaptors say that they need no socket under them. Any other address, null too, makes one.
 */
public final class NoDelegate {
    private NoDelegate() {}

    /** The address; null if this JVM does not allow it, and then the caller must close that socket. */
    public static SocketAddress address() {
        return Holder.ADDRESS;
    }

    private static final class Holder {
        static final SocketAddress ADDRESS = find();

        private Holder() {}

        private static SocketAddress find() {
            MethodHandles.Lookup lookup = TrustedLookup.find(new IllegalAccessException("NO_DELEGATE"))
                    .orElse(null);
            try {
                return lookup == null
                        ? null
                        : (SocketAddress)
                                lookup.findStaticVarHandle(DatagramSocket.class, "NO_DELEGATE", SocketAddress.class)
                                        .get();
            } catch (ReflectiveOperationException e) {
                return null; // another JDK's socket; the consequence is described above
            }
        }
    }
}
