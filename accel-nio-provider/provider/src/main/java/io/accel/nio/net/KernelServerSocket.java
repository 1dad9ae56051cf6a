// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.util.function.Supplier;

/** A listener as the JDK would have made it. A test makes one whose sockets fail. */
class KernelServerSocket extends ServerSocket {
    KernelServerSocket(SocketImpl implementation) {
        super(implementation);
    }

    static KernelServerSocket open() {
        return Privileged.get(new Opening());
    }

    /** Makes a listener. Like the question for its address it is no lambda: a program's first listener would wait for that to be linked. */
    private static final class Opening implements Supplier<KernelServerSocket> {
        @Override
        public KernelServerSocket get() {
            return new KernelServerSocket(JdkAccess.kernelServerSocket());
        }
    }

    /** Asks for the local address. */
    private record Local(ServerSocket listener) implements Supplier<SocketAddress> {
        @Override
        public SocketAddress get() {
            return listener.getLocalSocketAddress();
        }
    }

    /** Returns the local address, even where the program lacks the right to see it. */
    InetSocketAddress local() {
        return (InetSocketAddress) Privileged.get(new Local(this));
    }

    @Override
    public KernelSocket accept() throws IOException {
        KernelSocket socket = KernelSocket.toBeAccepted();
        implAccept(socket);
        return socket;
    }
}
