// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketImpl;

/** A listener as the JDK would have made it. */
final class KernelServerSocket extends ServerSocket {
    private KernelServerSocket(SocketImpl implementation) {
        super(implementation);
    }

    static KernelServerSocket open() {
        return Privileged.get(() -> new KernelServerSocket(JdkAccess.kernelServerSocket()));
    }

    /** Returns the local address, even where the program lacks the right to see it. */
    InetSocketAddress local() {
        return (InetSocketAddress) Privileged.get(this::getLocalSocketAddress);
    }

    @Override
    public KernelSocket accept() throws IOException {
        KernelSocket socket = KernelSocket.toBeAccepted();
        implAccept(socket);
        return socket;
    }
}
