// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * An asynchronous channel over a non-blocking one, which decides everything except how operations wait and end. Safe for use by many
 * threads.
 */
final class StreamChannel extends AsynchronousSocketChannel implements EventLoop.Client {
    /** The state of the connection. */
    enum Connection {
        NONE,
        PENDING,
        MADE
    }

    private static final Warnings ERRORS = new Warnings(Log.of(StreamChannel.class));

    private final ChannelGroup group;
    private final SocketChannel channel;
    private final Watch watch;
    private final Half reading = new Half(Direction.READING, this);
    private final Half writing = new Half(Direction.WRITING, this);
    private final Set<SocketOption<?>> options;

    /** Written once, under the monitor. */
    private volatile boolean closed;
    /** The peer, once the channel is connected. Written under the monitor. */
    private volatile SocketAddress remote;

    // Guarded by this.
    private Connection connection;
    private SocketAddress destination;
    /** The result of the pending connect; null if there is none, or it was cancelled. */
    private Result<Void> connecting;

    StreamChannel(ChannelGroup group, SocketChannel channel, Connection connection) throws IOException {
        super(group.provider());
        this.group = group;
        this.channel = channel;
        this.watch = new Watch(group.loop(), channel, this);
        this.options = Options.of(channel.supportedOptions());
        this.connection = connection;
        if (connection == Connection.MADE) {
            this.remote = channel.getRemoteAddress();
        }
        channel.configureBlocking(false);
    }

    SocketChannel channel() {
        return channel;
    }

    Watch watch() {
        return watch;
    }

    void invoke(Runnable handler) {
        group.invoke(handler);
    }

    void dispatch(Runnable handler) {
        group.dispatch(handler);
    }

    // ---- connecting

    @Override
    public Future<Void> connect(SocketAddress address) {
        Result<Void> result = Result.future(this::cancelConnect);
        connect(address, result);
        return result;
    }

    @Override
    public <A> void connect(SocketAddress address, A attachment, CompletionHandler<Void, ? super A> handler) {
        connect(address, Result.to(handler, attachment));
    }

    private void connect(SocketAddress address, Result<Void> result) {
        if (closed) {
            invoke(result.deliver(null, new ClosedChannelException()));
            return;
        }
        check(address);
        synchronized (this) {
            switch (connection) {
                case MADE -> throw new AlreadyConnectedException();
                case PENDING -> throw new ConnectionPendingException();
                case NONE -> {}
            }
            connection = Connection.PENDING;
            destination = address;
        }
        Throwable failure = null;
        try {
            if (!channel.connect(address)) {
                awaitConnect(result);
                return;
            }
            connected();
        } catch (SecurityException e) {
            notConnected();
            throw e;
        } catch (UnsupportedAddressTypeException e) {
            failure = connectFailed(withoutFamily(e));
        } catch (IOException | RuntimeException | Error e) {
            failure = connectFailed(e);
        }
        invoke(result.deliver(null, failure));
    }

    private static void check(SocketAddress address) {
        Objects.requireNonNull(address, "address");
        if (!(address instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
    }

    /** Returns the exception for an IPv6 address where there is no IPv6; the JDK's asynchronous channels throw it when they connect. */
    private static SocketException withoutFamily(UnsupportedAddressTypeException e) {
        SocketException unavailable = new SocketException("Protocol family unavailable");
        unavailable.initCause(e);
        return unavailable;
    }

    private synchronized void awaitConnect(Result<Void> result) throws IOException {
        if (closed) {
            throw new AsynchronousCloseException();
        }
        watch.add(SelectionKey.OP_CONNECT);
        connecting = result;
    }

    private synchronized void connected() {
        connection = Connection.MADE;
        remote = destination;
    }

    /** Resets the connection: the program lacks the right to connect to this address, and may try another. */
    private synchronized void notConnected() {
        connection = Connection.NONE;
        destination = null;
    }

    /** Closes the channel whose connect has failed. Returns the exception that the program gets. */
    private Throwable connectFailed(Throwable e) {
        Throwable told = e instanceof ClosedChannelException ? new AsynchronousCloseException() : e;
        try {
            close();
        } catch (IOException onClose) {
            told.addSuppressed(onClose);
        }
        return told;
    }

    private void proceedConnect(Deque<Runnable> handlers) {
        Throwable failure = null;
        try {
            synchronized (this) {
                if (connection == Connection.PENDING && !channel.finishConnect()) {
                    return;
                }
            }
            connected();
            watch.remove(SelectionKey.OP_CONNECT);
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
        Result<Void> result = takeConnect();
        if (failure != null) {
            failure = connectFailed(failure);
        }
        Runnable handler = result == null ? null : result.deliver(null, failure);
        if (handler != null) {
            handlers.add(handler);
        }
    }

    private synchronized Result<Void> takeConnect() {
        Result<Void> result = connecting;
        connecting = null;
        return result;
    }

    /** Cancels the connect. The connection may still be made, but no operation on it is possible any more. */
    private boolean cancelConnect(Result<?> result, boolean close) {
        synchronized (this) {
            if (connecting != result) {
                return false;
            }
            reading.giveUp();
            writing.giveUp();
            connecting = null;
            if (!result.cancelled()) {
                return false;
            }
        }
        closeIf(close);
        return true;
    }

    private void closeIf(boolean asked) {
        if (asked) {
            try {
                close();
            } catch (IOException e) {
                // As in the JDK, cancel cannot report this, and the channel is closed.
            }
        }
    }

    // ---- reading and writing

    @Override
    public Future<Integer> read(ByteBuffer dst) {
        refuseReadOnly(dst);
        Result<Integer> result = Result.future(this::cancelRead);
        begin(reading, Transfer.one(dst, 0, TimeUnit.MILLISECONDS, result));
        return result;
    }

    @Override
    public <A> void read(
            ByteBuffer dst, long timeout, TimeUnit unit, A attachment, CompletionHandler<Integer, ? super A> handler) {
        Result<Integer> result = Result.to(handler, attachment);
        refuseReadOnly(dst);
        begin(reading, Transfer.one(dst, timeout, unit, result));
    }

    @Override
    public <A> void read(
            ByteBuffer[] dsts,
            int offset,
            int length,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Long, ? super A> handler) {
        Result<Long> result = Result.to(handler, attachment);
        Objects.checkFromIndexSize(offset, length, dsts.length);
        for (int i = offset; i < offset + length; i++) {
            refuseReadOnly(dsts[i]);
        }
        begin(reading, Transfer.many(dsts, offset, length, timeout, unit, result));
    }

    private static void refuseReadOnly(ByteBuffer dst) {
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    @Override
    public Future<Integer> write(ByteBuffer src) {
        Objects.requireNonNull(src, "src");
        Result<Integer> result = Result.future(this::cancelWrite);
        begin(writing, Transfer.one(src, 0, TimeUnit.MILLISECONDS, result));
        return result;
    }

    @Override
    public <A> void write(
            ByteBuffer src, long timeout, TimeUnit unit, A attachment, CompletionHandler<Integer, ? super A> handler) {
        Result<Integer> result = Result.to(handler, attachment);
        Objects.requireNonNull(src, "src");
        begin(writing, Transfer.one(src, timeout, unit, result));
    }

    @Override
    public <A> void write(
            ByteBuffer[] srcs,
            int offset,
            int length,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Long, ? super A> handler) {
        Result<Long> result = Result.to(handler, attachment);
        Objects.checkFromIndexSize(offset, length, srcs.length);
        begin(writing, Transfer.many(srcs, offset, length, timeout, unit, result));
    }

    private void begin(Half half, Transfer<?> transfer) {
        if (closed) {
            invoke(transfer.deliver(0, new ClosedChannelException()));
            return;
        }
        if (remote == null) {
            throw new NotYetConnectedException();
        }
        half.begin(transfer);
    }

    private boolean cancelRead(Result<?> result, boolean close) {
        return cancel(reading, result, close);
    }

    private boolean cancelWrite(Result<?> result, boolean close) {
        return cancel(writing, result, close);
    }

    private boolean cancel(Half half, Result<?> result, boolean close) {
        boolean cancelled = half.giveUp(result, true);
        closeIf(cancelled && close);
        return cancelled;
    }

    @Override
    public void ready(int operations, Deque<Runnable> handlers) {
        if ((operations & SelectionKey.OP_CONNECT) != 0) {
            proceedConnect(handlers);
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
            reading.proceed(handlers);
        }
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            writing.proceed(handlers);
        }
    }

    // ---- shutting down and closing

    @Override
    public AsynchronousSocketChannel shutdownInput() throws IOException {
        refuseUnconnected();
        channel.shutdownInput();
        reading.shut();
        proceedNow(reading);
        return this;
    }

    @Override
    public AsynchronousSocketChannel shutdownOutput() throws IOException {
        refuseUnconnected();
        channel.shutdownOutput();
        writing.shut();
        proceedNow(writing);
        return this;
    }

    private void refuseUnconnected() throws ClosedChannelException {
        refuseClosed();
        if (remote == null) {
            throw new NotYetConnectedException();
        }
    }

    private void refuseClosed() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    private void proceedNow(Half half) {
        Deque<Runnable> handlers = new ArrayDeque<>(1);
        half.proceed(handlers);
        handlers.forEach(this::dispatch);
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        try {
            resetIfUnread();
            channel.close();
        } finally {
            watch.end();
            Result<Void> connect = takeConnect();
            if (connect != null) {
                dispatch(connect.deliver(null, new AsynchronousCloseException()));
            }
            reading.close();
            writing.close();
            group.leave(this);
        }
    }

    /** Makes the close a reset if bytes are unread. A channel under a selector would end in order, and the JDK's is under none. */
    private void resetIfUnread() {
        try {
            if (channel.isRegistered() && channel.socket().getInputStream().available() > 0) {
                SocketChannel unused = channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            // it is not connected, or its input is over: nothing is unread
        } catch (RuntimeException | Error e) {
            ERRORS.warn("looking for unread bytes met an error, and the channel is closed all the same", e);
        }
    }

    // ---- addresses and options

    @Override
    public AsynchronousSocketChannel bind(SocketAddress local) throws IOException {
        channel.bind(local);
        return this;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return channel.getLocalAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        refuseClosed();
        return remote;
    }

    @Override
    public <T> AsynchronousSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        Options.check(name, options);
        refuseClosed();
        if (writing.isShut()) {
            throw new IOException("Connection has been shutdown for writing");
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
    public synchronized String toString() {
        StringBuilder text = new StringBuilder(AsynchronousSocketChannel.class.getName()).append('[');
        if (closed) {
            return text.append("closed]").toString();
        }
        text.append(
                switch (connection) {
                    case NONE -> "unconnected";
                    case PENDING -> "connection-pending";
                    case MADE -> "connected";
                });
        text.append(reading.isShut() ? " ishut" : "").append(writing.isShut() ? " oshut" : "");
        try {
            SocketAddress local = channel.getLocalAddress();
            text.append(local == null ? "" : " local=" + local);
        } catch (IOException e) {
            text.append(" closed");
        }
        return text.append(remote == null ? "" : " remote=" + remote)
                .append(']')
                .toString();
    }
}
