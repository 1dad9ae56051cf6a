// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;

/** An anchor over a channel of the JDK's own, connected by TCP. */
public final class ChannelAnchor implements Anchor {
    private static final int NO_LINGER = -1;

    private final SocketChannel channel;

    /**
     * An anchor.
     *
     * @param channel a channel of the kernel provider; the caller owns it
     */
    public ChannelAnchor(SocketChannel channel) {
        this.channel = channel;
    }

    /** As the constructor. A class that calls this can be loaded without this one. */
    public static Anchor of(SocketChannel channel) {
        return new ChannelAnchor(channel);
    }

    @Override
    public SelectableChannel watched() {
        // No selector takes a channel in blocking mode, and a thread that uses one in that mode waits within the
        // kernel.
        return channel.isBlocking() ? null : channel;
    }

    @Override
    public Object failing() {
        return channel;
    }

    @Override
    public InetSocketAddress local() {
        try {
            return internet(Privileged.localAddress(channel));
        } catch (IOException e) {
            return null; // closed
        }
    }

    @Override
    public InetSocketAddress remote() {
        try {
            return internet(channel.getRemoteAddress());
        } catch (IOException e) {
            return null; // closed
        }
    }

    private static InetSocketAddress internet(SocketAddress address) {
        return address instanceof InetSocketAddress internet ? internet : null;
    }

    @Override
    public int typeOfService() {
        try {
            return channel.getOption(StandardSocketOptions.IP_TOS);
        } catch (IOException e) {
            return 0; // closed
        }
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public int available() throws IOException {
        if (channel.socket().isInputShutdown()) {
            return 0;
        }
        return channel.socket().getInputStream().available();
    }

    @Override
    public boolean hasEnded() throws IOException {
        return JdkAccess.hasEnded(channel);
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        return channel.read(dst);
    }

    @Override
    public int readShut(ByteBuffer dst) throws IOException {
        return JdkAccess.readShut(channel, dst);
    }

    @Override
    public int send(ByteBuffer bytes) throws IOException {
        // A channel that the kernel finds writable has room for a kilobyte; for one byte the kernel need not be asked.
        if ((bytes.remaining() > 1 || channel.isBlocking()) && !JdkAccess.hasRoomToWrite(channel)) {
            return 0;
        }
        synchronized (this) {
            boolean delays = !channel.getOption(StandardSocketOptions.TCP_NODELAY);
            if (delays) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            try {
                return channel.write(bytes); // which does not wait
            } finally {
                if (delays && channel.isOpen()) {
                    channel.setOption(StandardSocketOptions.TCP_NODELAY, false);
                }
            }
        }
    }

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public boolean isOutputShut() {
        return channel.socket().isOutputShutdown();
    }

    @Override
    public boolean closesInOrder() {
        return !channel.isBlocking() && channel.isRegistered(); // the JDK's close ends the output then
    }

    @Override
    public synchronized void resetOnClose() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    }

    @Override
    public synchronized void endOnClose() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, NO_LINGER);
    }

    @Override
    public Anchor keep() throws IOException {
        InetSocketAddress remote = remote();
        if (remote == null || channel.getOption(StandardSocketOptions.SO_LINGER) > NO_LINGER) {
            return null;
        }
        return keep(JdkAccess.duplicate(channel, remote), channel.isOpen());
    }

    /**
     * An anchor over a second descriptor.
     *
     * @param second the channel of that descriptor; null if there is none
     * @param isFirstOpen whether the socket from which it was made is still open; if not, the descriptor may be another socket's, and is
     *     closed
     * @return the anchor; null if there is none
     * @throws IOException if that close fails
     */
    public static Anchor keep(SocketChannel second, boolean isFirstOpen) throws IOException {
        if (second != null && !isFirstOpen) {
            second.close();
            return null;
        }
        return second == null ? null : new ChannelAnchor(second);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
