// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Supplier;

/** A socket as the JDK would have made it. A test makes one that fails. */
class KernelSocket extends Socket {
    // The implementation makes a stream at each question. Null before the first; threads that race write equal ones.
    private InputStream input;
    private OutputStream output;

    KernelSocket(SocketImpl implementation) throws IOException {
        super(implementation);
    }

    /**
     * Opens a socket that is not connected.
     *
     * @param asksForProxies whether it asks for a SOCKS proxy when it connects
     */
    static KernelSocket open(boolean asksForProxies) throws IOException {
        return Privileged.call(new Opening(asksForProxies));
    }

    /** Makes a socket. It is no lambda: a program's first socket would wait for that to be linked. */
    private record Opening(boolean asksForProxies) implements Privileged.Action<KernelSocket> {
        @Override
        public KernelSocket run() throws IOException {
            return new KernelSocket(JdkAccess.kernelSocket(asksForProxies));
        }
    }

    /**
     * Opens a socket of datagrams that is not connected.
     *
     * @param asksForProxies as that of {@link #open}
     */
    static KernelSocket openForDatagrams(boolean asksForProxies) throws IOException {
        KernelSocket opened = open(asksForProxies);
        JdkAccess.createForDatagrams(opened);
        return opened;
    }

    /** Makes a socket that a listener is about to connect. */
    static KernelSocket toBeAccepted() throws IOException {
        return new KernelSocket(null);
    }

    /** Returns the local address, even where the program lacks the right to see it. */
    InetSocketAddress local() {
        return (InetSocketAddress) Privileged.get(new Local(this));
    }

    /** Asks for the local address; no lambda either. */
    private record Local(Socket socket) implements Supplier<SocketAddress> {
        @Override
        public SocketAddress get() {
            return socket.getLocalSocketAddress();
        }
    }

    InetSocketAddress remote() {
        return (InetSocketAddress) getRemoteSocketAddress();
    }

    /** Returns the implementation's own stream, since the program's socket wraps it as this class would. */
    InputStream rawInput() throws IOException {
        InputStream known = input;
        if (known == null) {
            known = JdkAccess.input(JdkAccess.implementation(this));
            input = known;
        }
        return known;
    }

    /** Returns the implementation's own stream, as {@link #rawInput} does. */
    OutputStream rawOutput() throws IOException {
        OutputStream known = output;
        if (known == null) {
            known = JdkAccess.output(JdkAccess.implementation(this));
            output = known;
        }
        return known;
    }

    /** Returns the JDK's socket beneath. */
    SocketImpl implementation() {
        return JdkAccess.implementation(this);
    }

    /** Whether a write of one byte would not wait. */
    boolean hasRoom() throws IOException {
        return JdkAccess.hasRoomToWrite(JdkAccess.implementation(this));
    }

    boolean hasEnded() throws IOException {
        return JdkAccess.hasEnded(JdkAccess.implementation(this));
    }

    int readShut(ByteBuffer dst) throws IOException {
        return JdkAccess.readShut(JdkAccess.implementation(this), dst);
    }

    SocketChannel duplicate() throws IOException {
        return JdkAccess.duplicate(JdkAccess.implementation(this), remote());
    }
}
