// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.datagram.GroupSender;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.Publication;
import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
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
    private final long id = Connections.nextId();
    private final long openedMillis = System.currentTimeMillis();

    GroupPublication(Publication publication, GroupFlow flow) {
        this.publication = publication;
        this.flow = flow;
        this.sender = new GroupSender(publication);
    }

    void opened() {
        Connections.opened(this);
        Connections.established(this);
    }

    /**
     * Sends a datagram to the group. If the kernel delivers it as well, its copy goes out first, so that the copies of published datagrams
     * are where members find them; and a datagram that the kernel does not take is not published, since the program sends it again. One
     * that is too large goes through the kernel alone.
     *
     * @return the number of bytes, or 0 if the kernel has no room now
     */
    int send(DatagramChannel kernel, ByteBuffer src, InetSocketAddress target) throws IOException {
        int n = src.remaining();
        if (n > MOST) {
            return kernel.send(src, target);
        }
        sender.write(src);
        if (flow.kernelToo()) {
            return (int) throughBoth(() -> kernel.send(src, target), n);
        }
        src.position(src.limit());
        sender.publish();
        return n;
    }

    /** As {@link #send}, for a datagram of {@code n} bytes in several buffers, and a socket that is connected to the group. */
    long write(DatagramChannel kernel, ByteBuffer[] srcs, int offset, int count, long n) throws IOException {
        if (n > MOST) {
            return kernel.write(srcs, offset, count);
        }
        sender.write(srcs, offset, count, (int) n);
        if (flow.kernelToo()) {
            return throughBoth(() -> kernel.write(srcs, offset, count), n);
        }
        for (int i = offset; i < offset + count; i++) {
            srcs[i].position(srcs[i].limit());
        }
        sender.publish();
        return n;
    }

    @FunctionalInterface
    private interface KernelSend {
        long run() throws IOException;
    }

    private long throughBoth(KernelSend send, long n) throws IOException {
        try {
            long sent = send.run();
            if (sent > 0 || n == 0) {
                sender.publish();
            }
            return sent;
        } finally {
            sender.settle();
        }
    }

    /** Gives the memory back. Members still receive what was published. */
    void close() {
        Connections.closed(this);
        publication.free();
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
        return new ConnectionSample(
                id,
                "multicast",
                path().text(),
                "",
                members + (members == 1 ? " member" : " members"),
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
