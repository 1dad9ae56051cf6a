// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.daemon.OutOfLine;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The part that all streams share, whatever carries them: the course of connecting, of reading, and of becoming writable again. */
abstract class AbstractAccelStreamChannel extends AbstractAccelChannel {
    /** The promise of the connection attempt under way; null without one. */
    private ChannelPromise connectPromise;

    private Future<?> connectTimeout;
    private SocketAddress requested;
    private boolean inputEndSeen;

    AbstractAccelStreamChannel(Channel parent) {
        super(parent, AccelIoOps.READ);
    }

    /** Begins to connect; returns whether the connection is there already. */
    abstract boolean doConnect(SocketAddress remote, SocketAddress local) throws IOException;

    /** Continues to connect; returns whether the connection is there. */
    abstract boolean doFinishConnect() throws IOException;

    /** Reads once. Returns a buffer with bytes, or null if there was none; the handle knows the number, -1 at the end. */
    abstract ByteBuf doRead(RecvByteBufAllocator.ExtendedHandle handle) throws Exception;

    /** Called after the handlers have had the bytes of {@link #doRead}. */
    abstract void readComplete();

    /** Whether the input has ended; reads no more than it takes to know. */
    abstract boolean isAtEnd();

    /** Whether {@link #isAtEnd} has read something. */
    abstract boolean hasReadAhead();

    abstract boolean isInputShut();

    abstract void doShutdownInput() throws IOException;

    abstract boolean isAllowHalfClosure();

    /** Does the work of {@link AbstractUnsafe#prepareToClose()}. */
    abstract Executor closeExecutor();

    @Override
    boolean canEnd() {
        return isActive() && !inputEndSeen && !hasReadAhead();
    }

    @Override
    protected void doBeginRead() throws Exception {
        super.doBeginRead();
        if (hasReadAhead()) {
            // No selector will report these bytes.
            eventLoop().execute(() -> {
                if (hasReadAhead() && hasOps(AccelIoOps.READ)) {
                    ((StreamUnsafe) unsafe()).read();
                }
            });
        }
    }

    @Override
    protected void doClose() throws Exception {
        ChannelPromise promise = connectPromise;
        if (promise != null) {
            connectPromise = null;
            promise.tryFailure(new ClosedChannelException()); // try, as the promise may have been cancelled
        }
        cancelConnectTimeout();
    }

    private void cancelConnectTimeout() {
        if (connectTimeout != null) {
            connectTimeout.cancel(false);
            connectTimeout = null;
        }
    }

    final class StreamUnsafe extends AbstractAccelUnsafe {
        private final OutOfLine.Call reading = new Reading();

        // ---- connecting

        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            // The promise stays cancellable: an attempt can be given up at any time.
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connectPromise != null) {
                    throw new ConnectionPendingException();
                }
                boolean wasActive = isActive();
                if (doConnect(remote, local)) {
                    connected(promise, wasActive);
                } else {
                    connectPromise = promise;
                    requested = remote;
                    scheduleTimeout(remote);
                    promise.addListener(this::connectCancelled);
                }
            } catch (IOException | RuntimeException | Error e) {
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
            }
        }

        private void scheduleTimeout(SocketAddress remote) {
            int millis = config().getConnectTimeoutMillis();
            if (millis > 0) {
                connectTimeout =
                        eventLoop().schedule(() -> connectTimedOut(millis, remote), millis, TimeUnit.MILLISECONDS);
            }
        }

        private void connectTimedOut(int millis, SocketAddress remote) {
            ChannelPromise promise = connectPromise;
            if (promise != null
                    && promise.tryFailure(
                            new ConnectTimeoutException("connection timed out after " + millis + " ms: " + remote))) {
                close(voidPromise());
            }
        }

        private void connectCancelled(Future<? super Void> future) {
            if (future.isCancelled()) {
                cancelConnectTimeout();
                connectPromise = null;
                close(voidPromise());
            }
        }

        @Override
        void connectReady() {
            // The promise is there only if the attempt was neither cancelled nor timed out.
            ChannelPromise promise = connectPromise;
            try {
                boolean wasActive = isActive();
                if (!doFinishConnect()) {
                    return;
                }
                removeOps(AccelIoOps.CONNECT);
                connectEnded();
                connected(promise, wasActive);
            } catch (IOException | RuntimeException | Error e) {
                connectEnded();
                closeSocket();
                if (promise != null) {
                    promise.tryFailure(annotateConnectException(e, requested));
                }
                closeIfClosed();
            }
        }

        private void connectEnded() {
            cancelConnectTimeout();
            connectPromise = null;
        }

        private void connected(ChannelPromise promise, boolean wasActive) {
            if (promise == null) {
                return; // the cancellation has closed the channel and completed the promise
            }
            activated();
            // Asked before the promise is completed: a listener may close the channel, but channelActive is still
            // due.
            boolean active = isActive();
            boolean told = promise.trySuccess();
            if (!wasActive && active) {
                pipeline().fireChannelActive();
            }
            if (!told) {
                close(voidPromise()); // cancelled meanwhile
            }
        }

        // ---- reading

        @Override
        void read() {
            if (isInputShut() && (inputEndSeen || !isAllowHalfClosure())) {
                clearReadPending();
                return;
            }
            try {
                int unused = OutOfLine.call(reading, 0); // the handlers run within this call
            } catch (IOException e) {
                throw new UncheckedIOException(e); // never thrown: every failure goes to the handlers
            }
        }

        /** Reads and calls the handlers, as a method that the JIT compiler compiles on its own. */
        private final class Reading implements OutOfLine.Call {
            @Override
            public int call(long unused) {
                ChannelConfig config = config();
                ChannelPipeline pipeline = pipeline();
                RecvByteBufAllocator.ExtendedHandle handle = recvBufAllocHandle();
                handle.reset(config);
                boolean end = false;
                try {
                    do {
                        ByteBuf buffer = doRead(handle);
                        if (buffer == null) {
                            end = handle.lastBytesRead() < 0;
                            readPending &= !end;
                            break;
                        }
                        handle.incMessagesRead(1);
                        readPending = false;
                        pipeline.fireChannelRead(buffer);
                    } while (handle.continueReading());
                    readComplete();
                    handle.readComplete();
                    pipeline.fireChannelReadComplete();
                    if (end) {
                        inputEnded();
                    }
                } catch (Throwable t) {
                    handle.readComplete();
                    pipeline.fireChannelReadComplete();
                    pipeline.fireExceptionCaught(t);
                    // A connection without memory to read into is of no use, either.
                    if (end || t instanceof IOException || t instanceof OutOfMemoryError) {
                        inputEnded();
                    }
                } finally {
                    stopReadingUnlessWanted();
                }
                return 0;
            }
        }

        @Override
        void endReady() {
            if (isAtEnd()) {
                read();
            } else {
                removeOps(AccelIoOps.END); // until a handler wants the byte that was read ahead
            }
        }

        private void inputEnded() {
            if (!isInputShut()) {
                if (!isAllowHalfClosure()) {
                    close(voidPromise());
                    return;
                }
                try {
                    doShutdownInput();
                } catch (IOException | RuntimeException e) {
                    pipeline().fireExceptionCaught(e);
                    close(voidPromise());
                    return;
                }
                pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else if (!inputEndSeen) {
                inputEndSeen = true;
                pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
            }
        }

        // ---- writing

        @Override
        protected void flush0() {
            // While a flush waits for room, another attempt is of no use.
            if (!hasOps(AccelIoOps.WRITE)) {
                super.flush0();
            }
        }

        @Override
        void writeReady() {
            super.flush0();
        }

        // ---- closing

        @Override
        protected Executor prepareToClose() {
            return closeExecutor();
        }

        /** Closes the socket; a failure goes to the handlers, since the caller is already told of another failure. */
        private void closeSocket() {
            try {
                doClose();
            } catch (Exception e) {
                pipeline().fireExceptionCaught(e);
            }
        }
    }
}
