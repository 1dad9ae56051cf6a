// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Connecting, accepting and binding. */
final class Openings {
    private static final int TIMEOUT_MILLIS = 3_000;

    private Openings() {}

    /** How a connection is made, or accepted. */
    enum How {
        BLOCKING,
        POLLED,
        SELECTED,
        ADAPTOR
    }

    /** Connects a client to its listener. */
    record Connect(int connection, How how) implements Step {
        @Override
        public String run(World world) throws Exception {
            Connection to = world.connection(connection);
            boolean before = to.client().channel().isConnected();
            if (before && how == How.ADAPTOR) {
                return "connected before"; // which the JDK's releases say in different words, and Accel in the newest's
            }
            connect(world, to.client().channel(), to.address(), how);
            if (!before && to.client().channel().isConnected()) {
                to.established();
            }
            return "connected";
        }
    }

    private static void connect(World world, SocketChannel channel, SocketAddress address, How how) throws IOException {
        switch (how) {
            case BLOCKING -> channel.configureBlocking(true);
            case ADAPTOR -> {
                channel.configureBlocking(true);
                channel.socket().connect(address, TIMEOUT_MILLIS);
                return;
            }
            default -> channel.configureBlocking(false);
        }
        // A non-blocking connect on this host is sometimes done at once, and sometimes not.
        if (channel.connect(address) || how == How.BLOCKING) {
            return;
        }
        if (how == How.SELECTED) {
            awaitSelected(world, channel);
        }
        long start = System.nanoTime();
        while (!channel.finishConnect()) {
            if (World.isOver(start)) {
                throw new IOException("not connected after all this time");
            }
        }
    }

    private static void awaitSelected(World world, SocketChannel channel) throws IOException {
        try (Selector selector = world.setting().openSelector()) {
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            int n = selector.select(TIMEOUT_MILLIS);
            if (n != 1 || key.readyOps() != SelectionKey.OP_CONNECT) {
                throw new IOException("select " + n + " " + World.ops(key.readyOps()));
            }
        }
    }

    /** Connects a new channel to an address where nobody listens, and tells the outcome. */
    record ConnectToNobody(How how) implements Step {
        @Override
        public String run(World world) throws Exception {
            try (SocketChannel bound = world.setting().client().openSocketChannel();
                    SocketChannel channel = world.setting().client().openSocketChannel()) {
                bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                String outcome;
                try {
                    connect(world, channel, bound.getLocalAddress(), how);
                    outcome = "connected";
                } catch (IOException e) {
                    outcome = world.thrown(e);
                }
                return outcome + (channel.isOpen() ? ", open " : ", closed ") + world.plain(channel);
            }
        }
    }

    /** Accepts a connection, unless that would wait. */
    record Accept(int connection, How how) implements Step {
        @Override
        public String run(World world) throws Exception {
            Connection from = world.connection(connection);
            ServerSocketChannel listener = from.listener();
            boolean blocks = how == How.BLOCKING || how == How.ADAPTOR;
            boolean pending = from.isPending();
            if (blocks && !pending && listener.isOpen()) {
                return "would wait";
            }
            SocketChannel accepted = accept(world, listener, how, pending);
            if (accepted == null) {
                return "none";
            }
            if (!pending) {
                accepted.close();
                return "A CONNECTION THAT NOBODY MADE";
            }
            from.server().channel(Connection.undelayed(accepted));
            return accepted.isBlocking() ? "accepted" : "accepted, not blocking";
        }
    }

    private static SocketChannel accept(World world, ServerSocketChannel listener, How how, boolean pending)
            throws IOException {
        boolean blocking = listener.isBlocking();
        try {
            if (listener.isOpen()) {
                listener.configureBlocking(how == How.BLOCKING || how == How.ADAPTOR);
            }
            if (how == How.ADAPTOR) {
                listener.socket().setSoTimeout(TIMEOUT_MILLIS);
                return listener.socket().accept().getChannel();
            }
            if (how == How.SELECTED && pending) {
                awaitAcceptable(world, listener);
            }
            SocketChannel accepted = listener.accept();
            long start = System.nanoTime();
            while (accepted == null && pending && !World.isOver(start)) {
                accepted = listener.accept();
            }
            return accepted;
        } finally {
            if (listener.isOpen() && blocking != listener.isBlocking()) {
                listener.configureBlocking(blocking);
            }
        }
    }

    private static void awaitAcceptable(World world, ServerSocketChannel listener) throws IOException {
        try (Selector selector = world.setting().openSelector()) {
            SelectionKey key = listener.register(selector, SelectionKey.OP_ACCEPT);
            int n = selector.select(TIMEOUT_MILLIS);
            if (n != 1 || key.readyOps() != SelectionKey.OP_ACCEPT) {
                throw new IOException("select " + n + " " + World.ops(key.readyOps()));
            }
        }
    }

    /** Binds a client, or a listener once more. */
    record Bind(int selectable) implements Step {
        @Override
        public String run(World world) throws Exception {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            Object channel = world.selectable(selectable);
            if (channel instanceof SocketChannel socket) {
                socket.bind(any);
            } else if (channel instanceof ServerSocketChannel listener) {
                listener.bind(any);
            } else {
                return "no channel";
            }
            return "bound";
        }
    }

    /** Changes the blocking mode. */
    record Blocking(int selectable, boolean on) implements Step {
        @Override
        public String run(World world) throws Exception {
            if (world.selectable(selectable) == null) {
                return "no channel";
            }
            try {
                world.selectable(selectable).configureBlocking(on);
            } catch (IllegalBlockingModeException e) {
                return world.thrown(e);
            }
            return "done";
        }
    }
}
