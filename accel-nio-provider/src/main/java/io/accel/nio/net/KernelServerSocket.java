package io.accel.nio.net;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketImpl;
import java.nio.channels.SelectableChannel;

/** A listener as the JDK would have made it. */
final class KernelServerSocket extends ServerSocket {
    private final SocketImpl implementation;

    private KernelServerSocket(SocketImpl implementation) {
        super(implementation);
        this.implementation = implementation;
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

    /** Becomes readable when there is a connection to accept. */
    SelectableChannel readable() throws IOException {
        SelectableChannel channel = JdkAccess.readable(implementation);
        channel.configureBlocking(false);
        return channel;
    }
}
