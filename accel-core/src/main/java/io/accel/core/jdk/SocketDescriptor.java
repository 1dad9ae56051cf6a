// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.SocketImpl;

/** Finds the descriptor of a socket of the JDK's own: of a channel, or of a {@link SocketImpl}. */
final class SocketDescriptor {
    private final MethodHandle ofChannel;
    private final MethodHandle ofSocket;

    /**
     * @param lookup one that may see all
     * @throws ReflectiveOperationException if this JVM does not have them where others have
     */
    SocketDescriptor(MethodHandles.Lookup lookup) throws ReflectiveOperationException {
        MethodType descriptor = MethodType.methodType(FileDescriptor.class);
        ofChannel = lookup.findVirtual(TrustedLookup.internal("sun.nio.ch.SelChImpl"), "getFD", descriptor);
        ofSocket = lookup.findVirtual(SocketImpl.class, "getFileDescriptor", descriptor);
    }

    /**
     * @param socket a channel of the kernel provider, or a {@link SocketImpl}
     * @throws IOException if it is closed
     */
    FileDescriptor of(Object socket) throws Throwable {
        FileDescriptor descriptor = socket instanceof SocketImpl implementation
                ? (FileDescriptor) ofSocket.invoke(implementation)
                : (FileDescriptor) ofChannel.invoke(socket);
        if (descriptor == null || !descriptor.valid()) {
            throw new IOException("closed");
        }
        return descriptor;
    }
}
