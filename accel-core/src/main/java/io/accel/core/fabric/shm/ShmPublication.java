// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static io.accel.core.fabric.shm.ShmLayout.INT;
import static io.accel.core.fabric.shm.ShmLayout.LONG;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.fabric.DescriptorShare;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.LinkShare;
import io.accel.core.fabric.MemoryRegion;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.Publication;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A publication in a shared file, with a rendezvous where members come by themselves. A member's connection is its doorbell, and its
 * end is the notice of either side's death.
 *
 * <p><b>Sleep and wake</b> is the Dekker handshake of {@link ShmLink}, with a bit for each member: the member sets its bit, a full fence
 * follows, and it looks once more; the publisher stores its cursor, a full fence follows, and it looks at the bits. It takes those that
 * are set, so that one arming costs at most one system call, and a member that is awake costs none.
 *
 * <p><b>Threads.</b> As {@link Publication} says. Members are numbered under the monitor, by the service's thread, which does not touch
 * the memory.
 */
final class ShmPublication implements Publication {
    private static final Log LOG = Log.of(ShmPublication.class);
    private static final ByteBuffer RING_BYTE = ByteBuffer.allocateDirect(1);
    private static final ByteBuffer IGNORED = ByteBuffer.allocateDirect(64);
    private static final int BITS = Long.SIZE;
    /** The file's name within the directory. */
    static final String FILE = "ring";

    private final ShmConfig config;
    private final GroupService service;
    private final Path directory;
    private final MappedByteBuffer map;
    private final MemoryRegion ring;
    private final ServerSocketChannel socket;
    private final Runnable removal = this::removeFiles;
    private final OutOfLine.Call ringing = new Ringing();
    private final AtomicLong rings = new AtomicLong();

    /** By number; null where there is none. Replaced as a whole, under the monitor; read by the publisher without it. */
    private volatile SocketChannel[] members = {};

    private boolean freed; // guarded by this

    ShmPublication(GroupService service, ShmConfig config, GroupFlow flow, int ringSize) throws FallbackException {
        this.service = service;
        this.config = config;
        long size = GroupLayout.fileSize(ringSize);
        LinkShare.take();
        Path home = null;
        MappedByteBuffer made = null;
        ServerSocketChannel opened = null;
        boolean hasMemory = false;
        boolean done = false;
        try {
            MemoryCap.take(size, config.most());
            hasMemory = true;
            home = RendezvousPlaces.make(config, RendezvousPath.name(Namespace.OWN, PortSpace.GROUP, flow.group()));
            made = SharedFile.create(
                    home.resolve(FILE), size, config.group(), file -> writeHeader(file, flow, ringSize));
            // The socket comes last: a member that finds it finds the rest.
            opened = JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX);
            Path path = home.resolve(RendezvousPath.SOCKET);
            opened.bind(UnixDomainSocketAddress.of(path), GroupLayout.MOST_MEMBERS);
            opened.configureBlocking(false);
            RendezvousDirectory.share(path, config.group(), RendezvousDirectory.SHARED_FILE);
            done = true;
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.SHM_DIR, "opening " + home + " failed: " + e);
        } finally {
            if (!done) {
                close(opened);
                if (made != null) {
                    JdkAccess.unmap(made);
                }
                removeFiles(home);
                if (hasMemory) {
                    MemoryCap.giveBack(size);
                }
                LinkShare.giveBack();
            }
        }
        this.directory = home;
        this.map = made;
        this.socket = opened;
        this.ring = new MemoryRegion(map.slice(GroupLayout.RING, ringSize));
        MemoryUse.rings(PathName.SHM, map.capacity());
        service.remember(removal);
        service.watch(socket, SelectionKey.OP_ACCEPT, this::accept);
    }

    /** The directory of the rendezvous. */
    Path directory() {
        return directory;
    }

    private static void writeHeader(MappedByteBuffer file, GroupFlow flow, int ringSize) {
        INT.set((ByteBuffer) file, GroupLayout.VERSION_AT, GroupLayout.VERSION);
        INT.set((ByteBuffer) file, GroupLayout.RING_SIZE_AT, ringSize);
        INT.set((ByteBuffer) file, GroupLayout.FLAGS_AT, flow.kernelToo() ? GroupLayout.KERNEL_TOO : 0);
        INT.set((ByteBuffer) file, GroupLayout.INTERFACE_AT, flow.networkInterface());
        INT.set((ByteBuffer) file, GroupLayout.GROUP_PORT_AT, flow.group().getPort());
        INT.set((ByteBuffer) file, GroupLayout.SOURCE_PORT_AT, flow.source().getPort());
        file.put(GroupLayout.GROUP_AT, flow.group().getAddress().getAddress());
        file.put(GroupLayout.SOURCE_AT, flow.source().getAddress().getAddress());
        LONG.setRelease((ByteBuffer) file, GroupLayout.MAGIC_AT, GroupLayout.MAGIC);
    }

    // ---- members: the service's thread

    private void accept() throws IOException {
        for (SocketChannel member = socket.accept(); member != null; member = socket.accept()) {
            boolean welcome = false;
            try {
                welcome = welcome(member);
            } finally {
                if (!welcome) {
                    member.close();
                }
            }
        }
    }

    private boolean welcome(SocketChannel member) throws IOException {
        member.configureBlocking(false);
        if (config.group().isEmpty() && !Ownership.isPeerOwn(member)) {
            LOG.get().log(Level.DEBUG, "a member of another user was refused at {0}", directory);
            return false;
        }
        DescriptorShare.take();
        int number = -1;
        try {
            number = add(member);
            if (number < 0) {
                LOG.get().log(Level.DEBUG, "{0} has {1} members, and no room for another", directory, members.length);
                return false;
            }
        } finally {
            if (number < 0) {
                DescriptorShare.giveBack();
            }
        }
        int place = number;
        ByteBuffer said = ByteBuffer.allocate(GroupLayout.WELCOME).order(ByteOrder.nativeOrder());
        said.putInt(GroupLayout.WELCOME_MARK | GroupLayout.VERSION)
                .putInt(place)
                .flip();
        try {
            member.write(said);
        } catch (IOException e) {
            gone(place, member); // it has hung up meanwhile
            return true;
        }
        service.watch(member, SelectionKey.OP_READ, () -> hear(place, member));
        return true;
    }

    /** Members say nothing. They end. */
    private void hear(int number, SocketChannel member) throws IOException {
        int n;
        try {
            n = member.read(IGNORED.duplicate());
        } catch (IOException e) {
            n = -1;
        }
        if (n != 0) {
            gone(number, member);
        }
    }

    private synchronized int add(SocketChannel member) {
        if (freed) {
            return -1;
        }
        SocketChannel[] some = members;
        int number = Arrays.asList(some).indexOf(null);
        if (number < 0) {
            number = some.length;
            if (number == GroupLayout.MOST_MEMBERS) {
                return -1;
            }
        }
        SocketChannel[] more = Arrays.copyOf(some, Math.max(some.length, number + 1));
        more[number] = member;
        members = more;
        return number;
    }

    private void gone(int number, SocketChannel member) {
        synchronized (this) {
            if (freed || members[number] != member) {
                return;
            }
            SocketChannel[] fewer = members.clone();
            fewer[number] = null;
            members = fewer;
        }
        close(member);
        DescriptorShare.giveBack();
    }

    @Override
    public int members() {
        int n = 0;
        for (SocketChannel member : members) {
            n += member == null ? 0 : 1;
        }
        return n;
    }

    // ---- publishing

    @Override
    public MemoryRegion ring() {
        return ring;
    }

    @Override
    public void intend(long to) {
        LONG.setOpaque((ByteBuffer) map, GroupLayout.INTENDED, to);
        // Before any byte: pairs with the acquire fence of a reader, which looks at the bytes first.
        VarHandle.releaseFence();
    }

    @Override
    public void publish(long from, long to) {
        LONG.setOpaque((ByteBuffer) map, GroupLayout.LATEST, from);
        // Release: pairs with the acquire in published() of each member.
        LONG.setRelease((ByteBuffer) map, GroupLayout.PUBLISHED, to);
        VarHandle.fullFence();
        int count = members.length;
        for (int first = 0; first < count; first += BITS) {
            if ((long) LONG.getOpaque((ByteBuffer) map, GroupLayout.SLEEPERS + first / Byte.SIZE) != 0) {
                ring(first);
            }
        }
    }

    @Override
    public void settle() {
        long intended = (long) LONG.getOpaque((ByteBuffer) map, GroupLayout.INTENDED);
        // Release: pairs with the acquire in settled() of each member.
        LONG.setRelease((ByteBuffer) map, GroupLayout.SETTLED, intended);
    }

    private void ring(int first) {
        try {
            int unused = OutOfLine.call(ringing, first);
        } catch (IOException e) {
            throw new AssertionError("a member's failure is the member's", e);
        }
    }

    @Override
    public long rings() {
        return rings.get();
    }

    /** Rings for the sleepers of one word. */
    private final class Ringing implements OutOfLine.Call {
        @Override
        public int call(long first) {
            SocketChannel[] all = members;
            long asleep = (long) LONG.getAndSet((ByteBuffer) map, GroupLayout.SLEEPERS + (int) first / Byte.SIZE, 0L);
            for (; asleep != 0; asleep &= asleep - 1) {
                int number = (int) first + Long.numberOfTrailingZeros(asleep);
                SocketChannel member = number < all.length ? all[number] : null;
                if (member != null) {
                    rings.incrementAndGet(); // beside a system call this costs nothing
                    try {
                        // 0 written: the socket is full of rings that the member has not taken.
                        int unused = member.write(RING_BYTE.duplicate());
                    } catch (IOException e) {
                        LOG.get().log(Level.DEBUG, "ringing a member's doorbell failed, the member is gone", e);
                    }
                }
            }
            return 0;
        }
    }

    // ---- the end

    @Override
    public void free() {
        SocketChannel[] last;
        synchronized (this) {
            freed = true;
            last = members;
            members = new SocketChannel[0];
        }
        close(socket);
        service.forget(removal);
        removeFiles();
        for (SocketChannel member : last) {
            if (member != null) {
                close(member);
                DescriptorShare.giveBack();
            }
        }
        service.letGo();
        MemoryUse.rings(PathName.SHM, -map.capacity());
        MemoryCap.giveBack(map.capacity());
        LinkShare.giveBack();
        JdkAccess.unmap(map);
    }

    private void removeFiles() {
        removeFiles(directory);
    }

    private static void removeFiles(Path directory) {
        try {
            if (directory != null) {
                RendezvousPlaces.remove(directory);
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "could not remove " + directory + ", which does no harm", e);
        }
    }

    private static void close(Channel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.get().log(Level.DEBUG, "closing a channel for multicast failed", e);
            }
        }
    }
}
