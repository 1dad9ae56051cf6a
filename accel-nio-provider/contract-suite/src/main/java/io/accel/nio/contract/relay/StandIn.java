// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.relay;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Listens in place of a listener on another host, and connects to that listener for each client, in the clients' order. A client
 * whose connection cannot be passed on is reset.
 */
final class StandIn implements Closeable {
    private static final int BACKLOG = 512;
    private static final int MOST_TRIES = 20;

    private final InetAddress here;
    private final InetSocketAddress target;
    private final Clients clients;
    private final ServerSocketChannel listener;

    StandIn(InetAddress here, InetSocketAddress target, Clients clients) throws IOException {
        this.here = here;
        this.target = target;
        this.clients = clients;
        this.listener = listen(here);
        Thread thread = new Thread(this::acceptAll, "stand-in for " + target);
        thread.setDaemon(true);
        thread.start();
    }

    /** A port that is free for TCP may be taken for RDMA, whose connections get their ports from the same range. */
    private static ServerSocketChannel listen(InetAddress here) throws IOException {
        for (int tries = 1; ; tries++) {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                return listener.bind(new InetSocketAddress(here, 0), BACKLOG);
            } catch (IOException e) {
                listener.close();
                if (tries == MOST_TRIES || !e.getMessage().contains("RENDEZVOUS_TAKEN")) {
                    throw e;
                }
            }
        }
    }

    int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    private void acceptAll() {
        while (listener.isOpen()) {
            try {
                passOn(listener.accept());
            } catch (ClosedChannelException e) {
                return; // withdrawn
            } catch (IOException e) {
                System.out.println("relay: accepting for " + target + " failed: " + e);
            }
        }
    }

    private void passOn(SocketChannel client) throws IOException {
        SocketChannel server = SocketChannel.open();
        try {
            server.bind(new InetSocketAddress(here, 0));
            // Known before the listener can have accepted and its test can ask.
            clients.add(((InetSocketAddress) server.getLocalAddress()).getPort(), (InetSocketAddress)
                    client.getRemoteAddress());
            server.connect(target);
        } catch (IOException e) {
            // Its listener is closed, as some tests want to see.
            Conduit.reset(client);
            server.close();
            return;
        }
        new Conduit(client, server).start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
