// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;

/** The two halves of a stream; any thread can shut down either. */
abstract class AbstractAccelDuplexChannel extends AbstractAccelStreamChannel implements DuplexChannel {
    static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelSocketChannel.class);

    AbstractAccelDuplexChannel(Channel parent) {
        super(parent);
    }

    abstract boolean isOutputShut();

    @Override
    protected StreamUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    @Override
    public boolean isInputShutdown() {
        return isInputShut();
    }

    @Override
    public boolean isOutputShutdown() {
        return isOutputShut();
    }

    @Override
    public boolean isShutdown() {
        return isInputShut() && isOutputShut();
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        inEventLoop(() -> ((StreamUnsafe) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inEventLoop(() -> {
            try {
                doShutdownInput();
                promise.setSuccess();
            } catch (IOException | RuntimeException | Error e) {
                promise.setFailure(e);
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    /** Shuts down both halves, the output first; fails with the first failure. */
    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput().addListener(output -> shutdownInput().addListener(input -> {
            Throwable failure = output.cause() != null ? output.cause() : input.cause();
            if (output.cause() != null && input.cause() != null) {
                LOG.debug("shutting down the input failed, too", input.cause());
            }
            if (failure == null) {
                promise.setSuccess();
            } else {
                promise.setFailure(failure);
            }
        }));
        return promise;
    }

    private void inEventLoop(Runnable task) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            task.run();
        } else {
            loop.execute(task);
        }
    }
}
