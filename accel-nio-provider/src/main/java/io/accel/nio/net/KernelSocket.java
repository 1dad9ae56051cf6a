package io.accel.nio.net;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketImpl;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A socket as the JDK would have made it. */
final class KernelSocket extends Socket {
    private KernelSocket(SocketImpl implementation) throws IOException {
        super(implementation);
    }

    /** One that is not connected. */
    static KernelSocket open() throws IOException {
        return Privileged.call(() -> new KernelSocket(JdkAccess.kernelSocket()));
    }

    /** One that a listener is about to connect. */
    static KernelSocket toBeAccepted() throws IOException {
        return new KernelSocket(null);
    }

    /** Also where the program has not the right to be told. */
    InetSocketAddress local() {
        return (InetSocketAddress) Privileged.get(this::getLocalSocketAddress);
    }

    InetSocketAddress remote() {
        return (InetSocketAddress) getRemoteSocketAddress();
    }

    /** The implementation's own stream: around it the program's socket puts what this one would, too. */
    InputStream rawInput() throws IOException {
        return JdkAccess.input(JdkAccess.implementation(this));
    }

    /** As {@link #rawInput}. */
    OutputStream rawOutput() throws IOException {
        return JdkAccess.output(JdkAccess.implementation(this));
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
