package io.accel.nio;

import io.accel.core.poll.Pollable;
import io.accel.core.socket.StreamListener;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A listening channel that hands over kernel and accelerated connections alike. The kernel's channel really is bound and
 * listens; so programs without Accel connect, and the port is taken.
 */
public final class AccelServerSocketChannel extends ServerSocketChannel implements ServerSocketHooks {
    private final AccelSelectorProvider provider;
    private final ServerSocketChannel kernel;
    /** The family that the program asked for, or null. */
    private final ProtocolFamily family;

    private final StreamListener listener;
    private final ReentrantLock acceptLock = new ReentrantLock();

    /** Written once, by bind. */
    private volatile SocketAddress bound;

    /** What was set, for the connections that have no kernel socket to inherit it. */
    private final Map<SocketOption<?>, Object> options = new ConcurrentHashMap<>();

    private ServerSocket socket; // guarded by this

    AccelServerSocketChannel(AccelSelectorProvider provider, ServerSocketChannel kernel, ProtocolFamily family) {
        super(provider);
        this.provider = provider;
        this.kernel = kernel;
        this.family = family;
        this.listener = new StreamListener(provider.accelerator(), kernel);
    }

    Pollable pollable() {
        return listener;
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        synchronized (listener) {
            kernel.bind(local, backlog);
            SocketAddress address = kernel.getLocalAddress();
            try {
                if (address instanceof InetSocketAddress internet) {
                    listener.bound(internet, backlog);
                }
            } catch (IOException e) {
                close();
                throw e;
            }
            if (listener.isAccelerated()) {
                // The kernel's connections are only one source of several, so nobody may block on it alone.
                kernel.configureBlocking(false);
            }
            bound = address;
        }
        return this;
    }

    @Override
    public SocketChannel accept() throws IOException {
        return accept(-1);
    }

    @Override
    public SocketChannel acceptBlocking(long timeoutNanos) throws IOException {
        if (!isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        return accept(timeoutNanos);
    }

    private SocketChannel accept(long timeoutNanos) throws IOException {
        acceptLock.lock();
        try {
            ensureOpen();
            if (bound == null) {
                throw new NotYetBoundException();
            }
            if (!listener.isAccelerated() && timeoutNanos < 0) {
                return acceptFromKernel();
            }
            return isBlocking() ? acceptWaiting(timeoutNanos) : wrap(listener.accept());
        } finally {
            acceptLock.unlock();
        }
    }

    /** No fabric serves this listener: exactly the JDK's accept, blocking or not. */
    private SocketChannel acceptFromKernel() throws IOException {
        try {
            return wrap(listener.accept());
        } catch (ClosedChannelException e) {
            close(); // an interrupt closes the kernel's channel, and so must it this one
            throw e;
        }
    }

    private SocketChannel acceptWaiting(long timeoutNanos) throws IOException {
        boolean wasBlocking = kernel.isBlocking();
        if (wasBlocking) {
            kernel.configureBlocking(false);
        }
        long start = System.nanoTime();
        StreamSocket accepted = null;
        try {
            begin();
            while (isOpen()) {
                accepted = listener.accept();
                if (accepted != null) {
                    break;
                }
                long left = timeoutNanos < 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
                if (timeoutNanos >= 0 && left <= 0) {
                    throw new SocketTimeoutException("Accept timed out");
                }
                provider.accelerator().waits().await(listener, SelectionKey.OP_ACCEPT, left);
                begin(); // a selector within the wait has taken the interrupts for itself
            }
        } catch (ClosedChannelException e) {
            throw asynchronous(e);
        } finally {
            end(accepted != null);
            if (wasBlocking && kernel.isOpen()) {
                kernel.configureBlocking(true);
            }
        }
        return wrap(accepted);
    }

    /** The kernel's channel was found closed, which only our own close does: the program sees that one. */
    private static IOException asynchronous(ClosedChannelException e) {
        if (e instanceof AsynchronousCloseException) {
            return e;
        }
        IOException asynchronous = new AsynchronousCloseException();
        asynchronous.addSuppressed(e);
        return asynchronous;
    }

    private SocketChannel wrap(StreamSocket accepted) {
        return accepted == null ? null : new AccelSocketChannel(provider, accepted, family, Map.copyOf(options));
    }

    @Override
    public ServerSocketChannel channel() {
        return this;
    }

    @Override
    public synchronized ServerSocket socket() {
        if (socket == null) {
            socket = new AccelServerSocket(this);
        }
        return socket;
    }

    @Override
    public InetSocketAddress localAddressOrNull() {
        return bound instanceof InetSocketAddress internet ? internet : null;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return kernel.getLocalAddress();
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        kernel.setOption(name, value);
        options.put(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return kernel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return kernel.supportedOptions();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        listener.close();
        kernel.close();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        synchronized (listener) {
            listener.endRegistrations(AccelSocketChannel::isOver);
            if (!listener.isAccelerated()) {
                kernel.configureBlocking(block);
            }
        }
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(getClass().getName()).append('[');
        if (!isOpen()) {
            text.append("closed");
        } else if (bound == null) {
            text.append("unbound");
        } else {
            text.append(bound);
        }
        return text.append(']').toString();
    }
}
