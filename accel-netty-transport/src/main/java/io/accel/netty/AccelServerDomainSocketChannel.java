// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Anchor;
import io.accel.core.socket.StreamSocket;
import io.accel.core.socket.UnixAnchor;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A Unix-domain listener of the kernel's, whose connections may move to shared memory; see {@link AccelDomainSocketChannel} for the
 * conditions, and for the type of its addresses.
 *
 * <p>As with Netty's other transports, its file goes when it is closed. A file that another socket has bound at the same path in the
 * meantime stays. A process that dies leaves its file behind, and the next {@code bind} to it fails, as it does while a server is
 * listening there: a program that knows that it is alone deletes the file first. Options are {@code SO_BACKLOG}, and those of the JDK
 * ({@link AccelChannelOption#of}).
 */
public final class AccelServerDomainSocketChannel extends AbstractAccelServerChannel {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelServerDomainSocketChannel.class);

    private final ListenerConfig config;

    /** The file to which this is bound, as the program's directory was then; null before. */
    private volatile Path file;
    /** What tells that file from others at its path; null if that is not known. */
    private volatile Object fileKey;

    /**
     * Opens a listener that is not bound.
     *
     * @throws ChannelException if the kernel's socket cannot be opened
     */
    public AccelServerDomainSocketChannel() {
        super(open(() -> JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX)));
        config = new ListenerConfig(this);
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    SocketAddress listen(SocketAddress local) throws IOException {
        UnixDomainSocketAddress at = DomainAddresses.check(local, AccelServerSocketChannel.class);
        try {
            kernel.bind(at, config.backlog());
        } catch (BindException e) {
            if (Files.exists(at.getPath(), LinkOption.NOFOLLOW_LINKS)) {
                throw (BindException) new BindException(e.getMessage() + ": " + at.getPath()
                                + " exists; if no server is listening there, it was left behind: delete it first")
                        .initCause(e);
            }
            throw e;
        }
        file = at.getPath().toAbsolutePath();
        fileKey = key(file);
        // The JDK tells a program with few rights another address than the one by which clients find the listener.
        if (Privileged.call(kernel::getLocalAddress) instanceof UnixDomainSocketAddress bound) {
            listener.boundToFile(bound);
        }
        return kernel.getLocalAddress();
    }

    private static Object key(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (IOException e) {
            return null; // deleted, or forbidden
        }
    }

    @Override
    protected void doClose() throws Exception {
        // Compared while this is open: the kernel gives the number of a file that is gone to the next.
        boolean isOwn = file != null && fileKey != null && fileKey.equals(key(file));
        super.doClose();
        if (isOwn) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOG.debug("the file of a listener that was closed stays: {}", file, e);
            }
        }
    }

    @Override
    Anchor anchor(SocketChannel accepted) {
        return UnixAnchor.accepted(accepted, listener);
    }

    @Override
    AbstractAccelSocketChannel wrap(StreamSocket socket, SocketChannel accepted) throws IOException {
        return new AccelDomainSocketChannel(this, socket, accepted);
    }

    private static final class ListenerConfig extends AbstractAccelListenerConfig {
        ListenerConfig(AccelServerDomainSocketChannel channel) {
            super(channel, new SocketOptions(channel.kernel));
        }
    }
}
