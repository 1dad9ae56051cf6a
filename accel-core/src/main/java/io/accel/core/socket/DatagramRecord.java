// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.Listing;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.PathName;
import java.net.InetSocketAddress;

/** The public record of an accelerated path between two datagram sockets. */
final class DatagramRecord implements ObservedConnection {
    private final DatagramLink path;
    private final PathName name;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final long id = Connections.nextId();
    private final long openedMillis = System.currentTimeMillis();
    /** Null before it is open. Written by the thread that opens it, before others can close it. */
    private volatile Listing listing;

    DatagramRecord(DatagramLink path, String fabric, InetSocketAddress local, InetSocketAddress remote) {
        this.path = path;
        this.name = PathName.of(fabric);
        this.local = local;
        this.remote = remote;
    }

    /** The link that it describes. */
    DatagramLink link() {
        return path;
    }

    void opened() {
        Listing opened = Connections.opened(this);
        opened.established();
        listing = opened;
    }

    void closed() {
        Listing opened = listing;
        if (opened != null) {
            opened.closed();
        }
    }

    @Override
    public PathName path() {
        return name;
    }

    @Override
    public ConnectionState state() {
        return path.state();
    }

    @Override
    public void addTo(Figures figures) {
        figures.add(Figure.BYTES_IN, path.receiver().bytes())
                .add(Figure.MESSAGES_IN, path.receiver().received())
                .add(Figure.LOST_IN, path.receiver().lost());
        if (path.sender() == null) {
            return;
        }
        long publishes = path.link().publishes();
        figures.add(Figure.BYTES_OUT, path.sender().bytes())
                .add(Figure.MESSAGES_OUT, path.sender().sent())
                .add(Figure.PUBLISHES, publishes < 0 ? path.sender().sent() : publishes)
                .add(Figure.RINGS_OUT, path.link().rings());
    }

    @Override
    public ConnectionSample sample() {
        Figures figures = new Figures();
        addTo(figures);
        long available = 0;
        long queued = 0;
        if (path.pin()) {
            try {
                available = path.receiver().available();
                queued = path.sender() == null ? 0 : path.sender().queued();
            } finally {
                path.release();
            }
        }
        return new ConnectionSample(
                id,
                path.sender() == null ? "multicast" : "datagram",
                name.text(),
                "",
                "",
                state().text(),
                ConnectionRecord.text(local),
                ConnectionRecord.text(remote),
                openedMillis,
                available,
                queued,
                0,
                figures);
    }
}
