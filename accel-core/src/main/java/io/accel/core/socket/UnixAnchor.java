// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;

/**
 * An anchor over a Unix-domain channel of the JDK's own. Its addresses are {@linkplain UnixName names}: the file of the listener, and a
 * name of the connection, which the end that connected chooses, and which the other has when it is {@linkplain #name found}.
 */
public final class UnixAnchor implements Anchor {
    private final SocketChannel channel;
    /** Whether a listener has accepted the connection. */
    private final boolean accepted;
    /** When this was made, before which an accepting end was not, and a connecting end may have been connected. */
    private volatile long connectedAt;
    /** The name of the listener's file; null if that is not known. Written before others see the connection. */
    private volatile InetSocketAddress file;
    /** The name of the connection; null if that is not known yet. */
    private volatile InetSocketAddress name;

    private volatile boolean outputShut;
    /** This connection among those of the process; null for the end that connected. Written before others see the connection. */
    private volatile UnixStreams.Accepted known;

    private UnixAnchor(SocketChannel channel, boolean accepted, InetSocketAddress file) {
        this.channel = channel;
        this.accepted = accepted;
        this.file = file;
    }

    /**
     * An anchor of the end that connects.
     *
     * @param channel a channel of the kernel provider; the caller owns it
     */
    public static Anchor connecting(SocketChannel channel) {
        return new UnixAnchor(channel, false, null);
    }

    /**
     * An anchor of a connection that was accepted.
     *
     * @param channel as in {@link #connecting}
     * @param by the listener
     */
    public static Anchor accepted(SocketChannel channel, StreamListener by) {
        return new UnixAnchor(channel, true, by.file());
    }

    @Override
    public boolean isUnix() {
        return true;
    }

    @Override
    public void connected() {
        // Now: the file that this end has connected by may be another's later.
        file = UnixName.ofFile(shownRemote());
        name = UnixName.ofNewConnection();
        connectedAt = System.nanoTime();
    }

    /** When this end had connected, at the latest. */
    long connectedAt() {
        return connectedAt;
    }

    @Override
    public boolean name(InetSocketAddress given) {
        name = given;
        return true;
    }

    /** The process that listens where this end has connected; 0 if that is not known. */
    int listeningProcess() {
        try {
            return JdkAccess.peerProcess(channel);
        } catch (IOException e) {
            return 0; // closed
        }
    }

    @Override
    public void accepted(StreamSocket socket) {
        addTo(UnixStreams.ofProcess(), socket);
    }

    void addTo(UnixStreams all, StreamSocket socket) {
        known = all.add(socket);
    }

    @Override
    public void closed(boolean aborted) {
        UnixStreams.Accepted one = known;
        if (one != null) {
            // In non-blocking mode the JDK ends at least the output, unless the close has to be a reset.
            one.closed(channel, aborted || channel.isBlocking());
        }
    }

    @Override
    public InetSocketAddress local() {
        return accepted ? file : name;
    }

    @Override
    public InetSocketAddress remote() {
        return accepted ? name : file;
    }

    @Override
    public SocketAddress shownLocal() {
        try {
            return channel.getLocalAddress();
        } catch (IOException e) {
            return null; // closed
        }
    }

    @Override
    public SocketAddress shownRemote() {
        try {
            return channel.getRemoteAddress();
        } catch (IOException e) {
            return null; // closed
        }
    }

    @Override
    public SelectableChannel watched() {
        return channel.isBlocking() ? null : channel; // as in ChannelAnchor
    }

    @Override
    public int typeOfService() {
        return 0;
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public int available() throws IOException {
        return JdkAccess.available(channel);
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
        if ((bytes.remaining() > 1 || channel.isBlocking()) && !JdkAccess.hasRoomToWrite(channel)) {
            return 0;
        }
        return channel.write(bytes);
    }

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
        outputShut = true;
    }

    @Override
    public boolean isOutputShut() {
        return outputShut;
    }

    @Override
    public boolean closesInOrder() {
        return true; // or by a reset, if bytes are unread; nobody has a choice
    }

    @Override
    public void resetOnClose() {
        // The kernel makes it a reset if it has unread bytes. If the link has them, the peer has been told over the
        // link.
    }

    @Override
    public void endOnClose() {
        // As above.
    }

    @Override
    public Anchor keep() {
        return null; // no link that such a connection gets can break
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
