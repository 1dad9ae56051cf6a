// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.daemon.Privileged;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.function.ToLongBiFunction;

/**
 * The socket adaptor that {@link SocketChannel#socket} of our channels returns: a {@link Socket} that is the channel, seen through the
 * older interface.
 *
 * <p>Checks, their order and the messages are those of the JDK's own adaptor. Where releases of the JDK differ, which they do in connecting,
 * that adaptor does the work. All state but SO_TIMEOUT is the channel's. Safe for use by many threads.
 *
 * <p>It is also a function of a file, and of the position and the length of a part of it. Under the agent the JDK's {@link
 * FileChannel#transferTo} calls this function to reach {@link FileTransfer}, as the changed method can name no class of ours.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the channel does the locking, as under the JDK's adaptor
final class AccelSocket extends Socket implements ToLongBiFunction<FileChannel, long[]> {

    private final SocketHooks hooks;
    private final SocketChannel channel;
    private final AdaptorOptions options;

    /** The timeout of a read in milliseconds; 0 means no limit. */
    private volatile int readTimeoutMillis;

    private AccelSocket(SocketHooks hooks) throws SocketException {
        super(new UnusedSocketImpl());
        this.hooks = hooks;
        this.channel = hooks.channel();
        this.options = new AdaptorOptions(channel);
    }

    /** Creates an adaptor. The channel keeps it, since {@code socket()} must always return the same one. */
    static AccelSocket over(SocketHooks hooks) {
        try {
            return Privileged.call(() -> new AccelSocket(hooks));
        } catch (IOException e) {
            throw new AssertionError("java.net.Socket refused a SocketImpl", e);
        }
    }

    @Override
    public long applyAsLong(FileChannel file, long[] part) {
        try {
            return ((AccelSocketChannel) channel).writeFrom(file, part[0], part[1]);
        } catch (IOException e) {
            throw SocketExceptions.<RuntimeException>undeclared(e);
        }
    }

    @Override
    public void connect(SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        hooks.connectBlocking(remote, timeoutMillis);
    }

    @Override
    public void bind(SocketAddress local) throws IOException {
        try {
            channel.bind(local);
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.translate(e);
        }
    }

    @Override
    public InetAddress getInetAddress() {
        return hooks.remoteAddressOrNull() instanceof InetSocketAddress remote ? remote.getAddress() : null;
    }

    @Override
    public InetAddress getLocalAddress() {
        if (channel.isOpen() && hooks.localAddressOrNull() instanceof InetSocketAddress local) {
            return local.getAddress();
        }
        return new InetSocketAddress(0).getAddress();
    }

    @Override
    public int getPort() {
        return hooks.remoteAddressOrNull() instanceof InetSocketAddress remote ? remote.getPort() : 0;
    }

    @Override
    public int getLocalPort() {
        return hooks.localAddressOrNull() instanceof InetSocketAddress local ? local.getPort() : -1;
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return hooks.remoteAddressOrNull();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return hooks.localAddressOrNull();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        requireConnected();
        if (hooks.isInputShutdown()) {
            throw new SocketException("Socket input is shutdown");
        }
        return new SocketInput(hooks, () -> readTimeoutMillis);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        requireConnected();
        if (hooks.isOutputShutdown()) {
            throw new SocketException("Socket output is shutdown");
        }
        return new SocketOutput(hooks);
    }

    private void requireOpen() throws SocketException {
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }

    private void requireConnected() throws SocketException {
        requireOpen();
        if (!channel.isConnected()) {
            throw new SocketException("Socket is not connected");
        }
    }

    @Override
    public void setSoTimeout(int timeoutMillis) throws SocketException {
        requireOpen();
        if (timeoutMillis < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        readTimeoutMillis = timeoutMillis;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        requireOpen();
        return readTimeoutMillis;
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        hooks.sendUrgentData(data);
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        options.set(StandardSocketOptions.TCP_NODELAY, on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return options.get(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        options.set(StandardSocketOptions.SO_LINGER, on ? seconds : -1);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return options.get(StandardSocketOptions.SO_LINGER);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        options.set(options.oobInline(), on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return options.get(options.oobInline());
    }

    @Override
    public void setSendBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("Invalid send size");
        }
        options.set(StandardSocketOptions.SO_SNDBUF, bytes);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("Invalid receive size");
        }
        options.set(StandardSocketOptions.SO_RCVBUF, bytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_KEEPALIVE, on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return options.get(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public void setTrafficClass(int trafficClass) throws SocketException {
        options.set(StandardSocketOptions.IP_TOS, trafficClass);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return options.get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return options.get(StandardSocketOptions.SO_REUSEADDR);
    }

    /** Does nothing, like the JDK's: neither adaptor has a choice of protocols to make. */
    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {}

    @Override
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        try {
            channel.shutdownInput();
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.translate(e);
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        try {
            channel.shutdownOutput();
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.translate(e);
        }
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        return hooks.localAddressOrNull() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isInputShutdown() {
        return hooks.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return hooks.isOutputShutdown();
    }

    @Override
    public String toString() {
        if (!isConnected()) {
            return "Socket[unconnected]";
        }
        return "Socket[addr=" + getInetAddress() + ",port=" + getPort() + ",localport=" + getLocalPort() + "]";
    }
}
