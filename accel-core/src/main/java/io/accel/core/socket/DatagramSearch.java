// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A search for a faster path from a datagram socket to one destination. {@link DatagramPaths}' thread only. */
final class DatagramSearch extends LinkSearch {
    private final DatagramSocket socket;
    private final DatagramPath path;

    DatagramSearch(DatagramSocket socket, DatagramPath path) {
        super(socket.candidates(path.target()).iterator());
        this.socket = socket;
        this.path = path;
    }

    @Override
    InetSocketAddress target() {
        return path.target();
    }

    @Override
    Connecting connect(Fabric next) throws IOException {
        return next.connect(path.target(), new End(), socket.ringSize());
    }

    @Override
    void found(Link link, String by, InetSocketAddress local) {
        socket.found(path, link, by, local);
    }

    @Override
    void notFound(FallbackException reason) {
        socket.notFound(path, reason);
    }

    /** The program's end. All threads that wait for the socket wait for each of its links. */
    private final class End implements Fabric.Source {
        @Override
        public InetSocketAddress bind(InetAddress address) throws IOException {
            return socket.localFor(address);
        }

        @Override
        public Object waiter() {
            return socket;
        }
    }
}
