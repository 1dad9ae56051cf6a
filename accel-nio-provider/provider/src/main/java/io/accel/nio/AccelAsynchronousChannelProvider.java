// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.async.ChannelGroup;
import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;

/**
 * The entry point of NIO.2: with {@code
 * -Djava.nio.channels.spi.AsynchronousChannelProvider=io.accel.nio.AccelAsynchronousChannelProvider} the JVM opens its asynchronous
 * socket channels and their groups here. They are built upon the channels and the selector of {@link AccelSelectorProvider}, and are
 * accelerated as these are. In profile {@code off} everything is the JDK's own. Safe for use by many threads.
 */
public final class AccelAsynchronousChannelProvider extends AsynchronousChannelProvider {
    private final SelectorProvider channels;
    /** The JDK's own provider, in profile {@code off}; otherwise null. */
    private final AsynchronousChannelProvider kernel;

    private ChannelGroup byDefault; // guarded by this

    /** Called once by the JVM, with the profile that the system properties name. */
    public AccelAsynchronousChannelProvider() {
        AccelSelectorProvider provider = new AccelSelectorProvider();
        this.channels = provider;
        this.kernel = provider.accelerator() != null ? null : JdkAccess.kernelAsynchronousProvider();
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(int nThreads, ThreadFactory threadFactory)
            throws IOException {
        return kernel == null
                ? ChannelGroup.fixed(this, channels, nThreads, threadFactory)
                : kernel.openAsynchronousChannelGroup(nThreads, threadFactory);
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(ExecutorService executor, int initialSize)
            throws IOException {
        return kernel == null
                ? ChannelGroup.of(this, channels, executor, initialSize)
                : kernel.openAsynchronousChannelGroup(executor, initialSize);
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(AsynchronousChannelGroup group)
            throws IOException {
        return kernel == null
                ? ours(group).openServerSocketChannel()
                : kernel.openAsynchronousServerSocketChannel(group);
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(AsynchronousChannelGroup group) throws IOException {
        return kernel == null ? ours(group).openSocketChannel() : kernel.openAsynchronousSocketChannel(group);
    }

    private ChannelGroup ours(AsynchronousChannelGroup group) throws IOException {
        if (group == null) {
            return byDefault();
        }
        if (group.provider() == this && group instanceof ChannelGroup ours) {
            return ours;
        }
        throw new IllegalChannelGroupException();
    }

    private synchronized ChannelGroup byDefault() throws IOException {
        if (byDefault == null) {
            byDefault = ChannelGroup.byDefault(this, channels);
        }
        return byDefault;
    }
}
