// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.LinkShare;
import io.accel.core.fabric.Multicast;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.Publication;
import io.accel.core.fabric.Subscription;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.MappedByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Multicast groups in shared memory. A publication has a directory whose name consists of the network namespace, the group and the port.
 * A process with members has a directory, too, with a socket at which publishers knock when they have made a publication.
 *
 * <p>A process announces itself, and then looks for publications; a publisher makes its publication, and then looks for members'
 * processes. So one of the two finds the other.
 */
public final class ShmMulticast implements Multicast {
    private static final Log LOG = Log.of(ShmMulticast.class);
    /** Members' processes have no address; all are told of all publications. */
    private static final InetSocketAddress EVERYWHERE = everywhere();

    private final ShmConfig config;
    private boolean announced; // guarded by this

    /**
     * Makes it with a profile's settings.
     *
     * @param config the settings, of which the port space does not count
     */
    public ShmMulticast(ShmConfig config) {
        this.config = config;
    }

    private static InetSocketAddress everywhere() {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[Integer.BYTES]), 0);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Publication publish(GroupFlow flow, int ringSize) throws FallbackException {
        ShmFabric.checkModules();
        GroupService service = GroupService.get();
        ShmPublication made = new ShmPublication(service, config, flow, ringSize);
        DeadRendezvous.sweepOnce(made.directory().getParent());
        DeadRendezvous.sweepBeside(made.directory(), prefix(PortSpace.GROUP, flow.group()));
        knock();
        return made;
    }

    private static String prefix(PortSpace space, InetSocketAddress group) {
        return RendezvousPath.prefix(Namespace.OWN, space, group.getAddress(), group.getPort());
    }

    /** Tells all processes that may have members. A process that is gone, or another user's, has none. */
    private void knock() {
        String prefix = prefix(PortSpace.MEMBERS, EVERYWHERE);
        try {
            for (Path directory : RendezvousPlaces.all(config)) {
                if (directory.getFileName().toString().startsWith(prefix)) {
                    knockAt(directory);
                }
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "looking for members in " + config.dir() + " failed", e);
        }
    }

    private void knockAt(Path directory) {
        try (SocketChannel door = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX)) {
            long owner = RendezvousDirectory.check(directory, config.group());
            door.configureBlocking(false);
            boolean unused = door.connect(UnixDomainSocketAddress.of(directory.resolve(RendezvousPath.SOCKET)));
            LOG.get().log(Level.TRACE, "told user {0} at {1}", owner, directory);
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "no member can be told at " + directory, e);
        }
    }

    @Override
    public synchronized void announce(Runnable appeared) throws FallbackException {
        if (announced) {
            return;
        }
        ShmFabric.checkModules();
        GroupService service = GroupService.get();
        Path directory =
                RendezvousPlaces.make(config, RendezvousPath.name(Namespace.OWN, PortSpace.MEMBERS, EVERYWHERE));
        boolean done = false;
        try {
            ServerSocketChannel door = JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX);
            try {
                Path path = directory.resolve(RendezvousPath.SOCKET);
                door.bind(UnixDomainSocketAddress.of(path), GroupLayout.MOST_MEMBERS);
                door.configureBlocking(false);
                RendezvousDirectory.share(path, config.group(), RendezvousDirectory.SHARED_FILE);
                done = true;
            } finally {
                if (!done) {
                    door.close();
                }
            }
            service.remember(() -> remove(directory));
            service.watch(door, SelectionKey.OP_ACCEPT, () -> answer(door, appeared));
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.SHM_DIR, "opening " + directory + " failed: " + e);
        } finally {
            if (!done) {
                remove(directory);
            }
        }
        DeadRendezvous.sweepBeside(directory, prefix(PortSpace.MEMBERS, EVERYWHERE));
        announced = true;
    }

    private static void answer(ServerSocketChannel door, Runnable appeared) throws IOException {
        SocketChannel publisher = door.accept();
        if (publisher != null) {
            publisher.close();
            appeared.run();
        }
    }

    private static void remove(Path directory) {
        try {
            RendezvousPlaces.remove(directory);
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "could not remove " + directory + ", which does no harm", e);
        }
    }

    @Override
    public Set<String> publications(InetSocketAddress group) throws IOException {
        String prefix = prefix(PortSpace.GROUP, group);
        Set<String> names = new HashSet<>();
        for (Path directory : RendezvousPlaces.all(config)) {
            String name = directory.getFileName().toString();
            if (name.startsWith(prefix) && RendezvousPath.namespaceOf(directory) != null) {
                names.add(config.dir().relativize(directory).toString());
            }
        }
        return names;
    }

    @Override
    public Subscription subscribe(String name, InetSocketAddress group) throws FallbackException {
        ShmFabric.checkModules();
        Path directory = config.dir().resolve(name);
        long owner = RendezvousDirectory.check(directory, config.group());
        LinkShare.take();
        SocketChannel doorbell = null;
        MappedByteBuffer map = null;
        Subscription made = null;
        try {
            doorbell = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX);
            doorbell.configureBlocking(false);
            boolean unused = doorbell.connect(UnixDomainSocketAddress.of(directory.resolve(RendezvousPath.SOCKET)));
            Ownership.checkPeer(doorbell, owner, directory);
            map = SharedFile.map(
                    directory.resolve(ShmPublication.FILE),
                    GroupLayout.fileSize(ShmLayout.MIN_RING),
                    GroupLayout.fileSize(ShmLayout.MAX_RING));
            made = new ShmSubscription(name, map, doorbell, group);
            return made;
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.STALE_RENDEZVOUS, "calling " + directory + " failed: " + e);
        } finally {
            if (made == null) {
                giveUp(doorbell, map);
            }
        }
    }

    private static void giveUp(SocketChannel doorbell, MappedByteBuffer map) {
        if (doorbell != null) {
            try {
                doorbell.close();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "closing a doorbell failed", e);
            }
        }
        if (map != null) {
            JdkAccess.unmap(map);
        }
        LinkShare.giveBack();
    }
}
