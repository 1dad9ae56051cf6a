// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.Fabric.Listening;
import io.accel.core.fabric.FallbackException;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** One listener's rendezvous: its directory and the socket in it. */
final class RendezvousListener implements Listening {
    private static final Log LOG = Log.of(RendezvousListener.class);
    /** The kernel cuts this to net.core.somaxconn. */
    private static final int BACKLOG = 4096;

    private final RendezvousService service;
    private final ShmConfig config;
    private final Namespace namespace;
    private final InetSocketAddress bound;
    private final Path directory;
    private final Acceptor acceptor;
    private final ServerSocketChannel socket;
    private final AtomicBoolean closed = new AtomicBoolean();

    RendezvousListener(
            RendezvousService service,
            ShmConfig config,
            Namespace namespace,
            InetSocketAddress bound,
            Acceptor acceptor)
            throws FallbackException {
        this.service = service;
        this.config = config;
        this.namespace = namespace;
        this.bound = bound;
        this.acceptor = acceptor;
        this.directory = RendezvousPlaces.make(config, RendezvousPath.name(namespace, config.space(), bound));
        ServerSocketChannel opened = null;
        try {
            opened = JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX);
            Path path = directory.resolve(RendezvousPath.SOCKET);
            opened.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            opened.configureBlocking(false);
            RendezvousDirectory.share(path, config.group(), RendezvousDirectory.SHARED_FILE);
        } catch (IOException e) {
            closeSocket(opened);
            deleteDirectory();
            throw new FallbackException(
                    FallbackReason.SHM_DIR, "opening the rendezvous in " + directory + " failed: " + e);
        }
        this.socket = opened;
    }

    ShmConfig config() {
        return config;
    }

    Namespace namespace() {
        return namespace;
    }

    /** Whether a connection to this address belongs to this listener, if no address is translated on the way. */
    boolean isFor(InetSocketAddress destination) {
        InetAddress own = bound.getAddress();
        InetAddress address = destination.getAddress();
        return destination.getPort() == bound.getPort()
                && (own.isAnyLocalAddress() || own.equals(address))
                && namespace.isLocal(address);
    }

    Path directory() {
        return directory;
    }

    Acceptor acceptor() {
        return acceptor;
    }

    ServerSocketChannel socket() {
        return socket;
    }

    /** Has a handshake retried, see {@link RendezvousService#retry}. */
    void retry(ServerHandshake handshake) {
        service.retry(handshake);
    }

    boolean isClosed() {
        return closed.get();
    }

    void log(String format, Object... parameters) {
        LOG.get().log(Level.DEBUG, format, parameters);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            // The socket goes first: a client that comes now finds nothing, or a refusal.
            closeSocket(socket);
            service.closed(this);
            deleteDirectory();
        }
    }

    private void deleteDirectory() {
        try {
            RendezvousPlaces.remove(directory);
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "could not remove {0}, which does no harm and may be removed by hand: {1}",
                            directory,
                            e);
        }
    }

    private static void closeSocket(ServerSocketChannel socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "closing a rendezvous failed", e);
            }
        }
    }
}
