// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.PathInfo;
import io.accel.core.datagram.GroupSender;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.Publication;
import io.accel.core.jdk.JdkBuffers;
import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.Listing;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.PathName;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** A socket's datagrams to a multicast group in shared memory, and their public record. In the socket's sending half, but for the record. */
final class GroupPublication implements ObservedConnection {
    private static final int MOST = DatagramSocket.MOST_IPV4;

    private final Publication publication;
    private final GroupFlow flow;
    private final GroupSender sender;
    /** The way to other hosts; null for none. */
    private final GroupNetwork.Outlet outlet;

    /** The members that a datagram is published to. */
    private enum Reach {
        KERNEL_ALONE,
        THIS_HOST,
        ALL_HOSTS
    }

    private final long id = Connections.nextId();
    private final long openedMillis = System.currentTimeMillis();
    /** Null before it is open. Written by the thread that opens it, before others can close it. */
    private volatile Listing listing;

    /**
     * A publication, to which nothing was published yet.
     *
     * @param outlet the way to other hosts; null for none
     */
    GroupPublication(Publication publication, GroupFlow flow, GroupNetwork.Outlet outlet) {
        this.outlet = outlet;
        this.publication = publication;
        this.flow = flow;
        this.sender = new GroupSender(publication);
    }

    void opened() {
        Listing opened = Connections.opened(this);
        opened.established();
        listing = opened;
    }

    /**
     * Sends a datagram to the group. If the kernel delivers it as well, its copy goes out first, so that the copies of published datagrams
     * are where members find them; and a datagram that the kernel does not take is not published, since the program sends it again. Nor is
     * one whose buffer fails.
     *
     * @return the number of bytes, or 0 if the kernel has no room now
     */
    int send(DatagramChannel kernel, ByteBuffer src, InetSocketAddress target) throws IOException {
        int n = src.remaining();
        Reach reach = reach(n);
        if (reach == Reach.KERNEL_ALONE) {
            return kernel.send(src, target);
        }
        try {
            sender.write(src);
        } catch (IOException | RuntimeException e) {
            sender.settle();
            throw e;
        }
        if (reach == Reach.ALL_HOSTS) {
            outlet.write(src);
        }
        if (flow.kernelToo()) {
            return (int) throughBoth(() -> kernel.send(src, target), n, reach);
        }
        src.position(src.limit());
        publish(reach);
        return n;
    }

    /** As {@link #send}, for a datagram of {@code n} bytes in several buffers, and a socket that is connected to the group. */
    long write(DatagramChannel kernel, ByteBuffer[] srcs, int offset, int count, long n) throws IOException {
        Reach reach = reach(n);
        if (reach == Reach.KERNEL_ALONE) {
            return kernel.write(srcs, offset, count);
        }
        try {
            JdkBuffers.check(srcs, offset, count);
            sender.write(srcs, offset, count, (int) n);
        } catch (IOException | RuntimeException e) {
            sender.settle();
            throw e;
        }
        if (reach == Reach.ALL_HOSTS) {
            outlet.write(srcs, offset, count);
        }
        if (flow.kernelToo()) {
            return throughBoth(() -> kernel.write(srcs, offset, count), n, reach);
        }
        for (int i = offset; i < offset + count; i++) {
            srcs[i].position(srcs[i].limit());
        }
        publish(reach);
        return n;
    }

    /** How far a datagram of so many bytes is published. Where the kernel has to bring it to other hosts, it goes through the kernel once. */
    private Reach reach(long n) {
        if (n > MOST) {
            return Reach.KERNEL_ALONE;
        }
        if (outlet == null) {
            return Reach.THIS_HOST;
        }
        if (n <= outlet.most()) {
            return Reach.ALL_HOSTS;
        }
        return flow.kernelToo()
                ? Reach.THIS_HOST
                : Reach.KERNEL_ALONE; // members on this host hear the kernel's as well
    }

    private void publish(Reach reach) {
        sender.publish();
        if (reach == Reach.ALL_HOSTS) {
            outlet.send();
        }
    }

    @FunctionalInterface
    private interface KernelSend {
        long run() throws IOException;
    }

    private long throughBoth(KernelSend send, long n, Reach reach) throws IOException {
        try {
            long sent = send.run();
            if (sent > 0 || n == 0) {
                publish(reach);
            }
            return sent;
        } finally {
            sender.settle();
        }
    }

    /** Gives the memory back. Members still receive what was published. */
    void close() {
        Listing opened = listing;
        if (opened != null) {
            opened.closed();
        }
        publication.free();
        if (outlet != null) {
            outlet.free();
        }
    }

    /** The path of the datagrams; the kernel's, if it has to bring them to other hosts in place of the network. */
    PathInfo info() {
        FallbackException why = outlet == null || flow.kernelToo() ? null : outlet.closed();
        return why == null
                ? new PathInfo(path().text(), null, null)
                : new PathInfo(PathInfo.KERNEL.path(), why.reason(), why.getMessage());
    }

    @Override
    public PathName path() {
        return PathName.SHM;
    }

    @Override
    public ConnectionState state() {
        return ConnectionState.ESTABLISHED;
    }

    @Override
    public void addTo(Figures figures) {
        figures.add(Figure.BYTES_OUT, sender.bytes())
                .add(Figure.MESSAGES_OUT, sender.sent())
                .add(Figure.PUBLISHES, sender.sent())
                .add(Figure.RINGS_OUT, publication.rings());
    }

    @Override
    public ConnectionSample sample() {
        Figures figures = new Figures();
        addTo(figures);
        int members = publication.members();
        String hosts = outlet == null || outlet.closed() != null ? "" : ", and other hosts";
        return new ConnectionSample(
                id,
                "multicast",
                path().text(),
                "",
                members + (members == 1 ? " member" : " members") + hosts,
                state().text(),
                ConnectionRecord.text(flow.source()),
                ConnectionRecord.text(flow.group()),
                openedMillis,
                0,
                0,
                0,
                figures);
    }
}
