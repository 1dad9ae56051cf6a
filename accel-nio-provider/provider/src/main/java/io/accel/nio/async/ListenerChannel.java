// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import io.accel.core.daemon.CallersRights;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.Future;

/** An asynchronous listener over a non-blocking one. Safe for use by many threads. */
final class ListenerChannel extends AsynchronousServerSocketChannel implements EventLoop.Client {
    private enum State {
        OPEN,
        /** An accept was cancelled; no further one is possible. */
        GIVEN_UP
    }

    private final ChannelGroup group;
    private final ServerSocketChannel channel;
    private final Watch watch;
    private final Set<SocketOption<?>> options;

    /** Written once, under the monitor. */
    private volatile boolean closed;

    // Guarded by this.
    private State state = State.OPEN;
    /** The result of the pending accept, or null. */
    private Result<AsynchronousSocketChannel> accepting;
    /** The rights that decide from which peers the pending accept may take a connection. */
    private CallersRights rights;

    ListenerChannel(ChannelGroup group, ServerSocketChannel channel) throws IOException {
        super(group.provider());
        this.group = group;
        this.channel = channel;
        this.watch = new Watch(group.loop(), channel, this);
        this.options = Options.of(channel.supportedOptions());
        channel.configureBlocking(false);
    }

    // ---- accepting

    @Override
    public Future<AsynchronousSocketChannel> accept() {
        Result<AsynchronousSocketChannel> result = Result.future(this::cancel);
        accept(result);
        return result;
    }

    @Override
    public <A> void accept(A attachment, CompletionHandler<AsynchronousSocketChannel, ? super A> handler) {
        accept(Result.to(handler, attachment));
    }

    private void accept(Result<AsynchronousSocketChannel> result) {
        if (closed) {
            group.invoke(result.deliver(null, new ClosedChannelException()));
            return;
        }
        AsynchronousSocketChannel accepted = null;
        Throwable failure = null;
        synchronized (this) {
            refuseUnbound();
            if (state == State.GIVEN_UP) {
                throw new IllegalStateException(
                        "Accept not allowed: one was cancelled, and may have taken a connection");
            }
            if (accepting != null) {
                throw new AcceptPendingException();
            }
            try {
                accepted = inGroup(channel.accept());
                if (accepted == null) {
                    rights = CallersRights.now();
                    await(result);
                    return;
                }
            } catch (IOException | RuntimeException | Error e) {
                failure = failed(e);
            }
        }
        boolean isGiven = false;
        try {
            group.dispatch(result.deliver(accepted, failure));
            isGiven = true;
        } finally {
            if (!isGiven && accepted != null) {
                closeUnwanted(accepted); // the caller is told the error
            }
        }
    }

    private void refuseUnbound() {
        try {
            if (channel.getLocalAddress() == null) {
                throw new NotYetBoundException();
            }
        } catch (IOException e) {
            // The channel was closed meanwhile, which the accept reports.
        }
    }

    private AsynchronousSocketChannel inGroup(SocketChannel accepted) throws IOException {
        return accepted == null ? null : group.accepted(accepted);
    }

    private void await(Result<AsynchronousSocketChannel> result) throws IOException {
        if (closed) { // asked under the monitor, so that a later close finds the operation
            throw new AsynchronousCloseException();
        }
        watch.add(SelectionKey.OP_ACCEPT);
        accepting = result;
    }

    private static Throwable failed(Throwable e) {
        return e instanceof ClosedChannelException ? new AsynchronousCloseException() : e;
    }

    @Override
    public void ready(int operations, Deque<Runnable> handlers) {
        Result<AsynchronousSocketChannel> result;
        AsynchronousSocketChannel accepted = null;
        Throwable failure = null;
        synchronized (this) {
            result = accepting;
            if (result == null) {
                watch.remove(SelectionKey.OP_ACCEPT);
                return;
            }
            try {
                accepted = inGroup(rights.call(channel::accept));
                if (accepted == null) {
                    return;
                }
            } catch (IOException | RuntimeException | Error e) {
                failure = failed(e);
            }
            accepting = null;
        }
        boolean isGiven = false;
        try {
            Runnable handler = result.deliver(accepted, failure);
            if (handler != null) {
                handlers.add(handler);
            }
            isGiven = handler != null || !result.isCancelled();
        } finally {
            if (!isGiven && accepted != null) {
                closeUnwanted(accepted);
            }
        }
    }

    /** Closes a connection that the program will never get. */
    static void closeUnwanted(AsynchronousSocketChannel accepted) {
        try {
            accepted.close();
        } catch (IOException e) {
            // As in the JDK, there is no one to tell.
        }
    }

    /** Cancels an accept. As in the JDK, the accept goes on, and closes the connection that it gets. */
    private boolean cancel(Result<?> result, boolean close) {
        synchronized (this) {
            if (accepting != result || !result.cancelled()) {
                return false;
            }
            state = State.GIVEN_UP;
        }
        if (close) {
            try {
                close();
            } catch (IOException e) {
                // As in the JDK, cancel cannot report this, and the channel is closed.
            }
        }
        return true;
    }

    // ---- closing

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() throws IOException {
        Result<AsynchronousSocketChannel> result;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            result = accepting;
            accepting = null;
        }
        try {
            channel.close();
        } finally {
            watch.end();
            if (result != null) {
                group.dispatch(result.deliver(null, new AsynchronousCloseException()));
            }
            group.leave(this);
        }
    }

    // ---- addresses and options

    @Override
    public AsynchronousServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        if (local != null && !(local instanceof InetSocketAddress)) {
            throw new UnsupportedAddressTypeException(); // before the channel is looked at, as in the JDK
        }
        if (local instanceof InetSocketAddress internet && internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        channel.bind(local, backlog);
        return this;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return channel.getLocalAddress();
    }

    @Override
    public <T> AsynchronousServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        Options.check(name, options);
        if (closed) {
            throw new ClosedChannelException();
        }
        Options.checkValue(name, value);
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        Options.check(name, options);
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(AsynchronousServerSocketChannel.class.getName()).append('[');
        try {
            SocketAddress local = channel.getLocalAddress();
            text.append(local == null ? "unbound" : local);
        } catch (IOException e) {
            text.append("closed");
        }
        return text.append(']').toString();
    }
}
