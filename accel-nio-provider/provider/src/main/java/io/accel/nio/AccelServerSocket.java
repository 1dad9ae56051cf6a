// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The socket adaptor that {@link ServerSocketChannel#socket} of our channels returns: a {@link ServerSocket} that is the channel, seen
 * through the older interface. Its checks, their order and the messages follow the JDK's own adaptor. All state but SO_TIMEOUT is the
 * channel's. Safe for use by many threads.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the channel does the locking, as under the JDK's adaptor
final class AccelServerSocket extends ServerSocket {

    /** The backlog that {@link ServerSocket} uses where the program names none. */
    private static final int DEFAULT_BACKLOG = 50;

    private final ServerSocketHooks hooks;
    private final ServerSocketChannel channel;
    private final AdaptorOptions options;

    /** The timeout of an accept in milliseconds; 0 means no limit. */
    private volatile int acceptTimeoutMillis;

    /** Creates an adaptor. The channel keeps it, since {@code socket()} must always return the same one. */
    AccelServerSocket(ServerSocketHooks hooks) {
        super(new UnusedSocketImpl());
        this.hooks = hooks;
        this.channel = hooks.channel();
        this.options = new AdaptorOptions(channel);
    }

    @Override
    public void bind(SocketAddress local) throws IOException {
        bind(local, DEFAULT_BACKLOG);
    }

    @Override
    public void bind(SocketAddress local, int backlog) throws IOException {
        try {
            channel.bind(local != null ? local : new InetSocketAddress(0), backlog);
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.translate(e);
        }
    }

    @Override
    public Socket accept() throws IOException {
        try {
            return acceptChannel().socket();
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.translate(e);
        }
    }

    private SocketChannel acceptChannel() throws IOException {
        int timeoutMillis = acceptTimeoutMillis;
        if (timeoutMillis > 0) {
            return hooks.acceptBlocking(TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
        }
        // As in the JDK, a non-blocking channel returns a connection if there is one, and only waiting is an error.
        SocketChannel accepted = channel.accept();
        if (accepted == null) {
            throw new IllegalBlockingModeException();
        }
        return accepted;
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress local = hooks.localAddressOrNull();
        return local != null ? local.getAddress() : null;
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = hooks.localAddressOrNull();
        return local != null ? local.getPort() : -1;
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return hooks.localAddressOrNull();
    }

    @Override
    public ServerSocketChannel getChannel() {
        return channel;
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
    public void close() throws IOException {
        channel.close();
    }

    private void requireOpen() throws SocketException {
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }

    @Override
    public void setSoTimeout(int timeoutMillis) throws SocketException {
        requireOpen();
        if (timeoutMillis < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        acceptTimeoutMillis = timeoutMillis;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        requireOpen();
        return acceptTimeoutMillis;
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return options.get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("size cannot be 0 or negative");
        }
        options.set(StandardSocketOptions.SO_RCVBUF, bytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_RCVBUF);
    }

    /** Does nothing, like the JDK's: neither adaptor has a choice of protocols to make. */
    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {}

    @Override
    public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
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
    public String toString() {
        if (!isBound()) {
            return "ServerSocket[unbound]";
        }
        return "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]";
    }
}
