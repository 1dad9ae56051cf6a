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

/** A socket's datagrams to a multicast group in shared memory, and their public record. In the socket's sending half, but for the record. */
final class GroupPublication implements ObservedConnection {
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

    GroupSender sender() {
        return sender;
    }

    boolean isKernelToo() {
        return flow.kernelToo();
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
