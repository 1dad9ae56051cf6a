package io.accel.nio.net;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketImpl;

/** A listener as the JDK would have made it. */
final class KernelServerSocket extends ServerSocket {
    private KernelServerSocket(SocketImpl implementation) {
        super(implementation);
    }

    static KernelServerSocket open() {
        return new KernelServerSocket(JdkAccess.kernelServerSocket());
    }

    @Override
    public KernelSocket accept() throws IOException {
        KernelSocket socket = new KernelSocket(null);
        implAccept(socket);
        return socket;
    }
}
