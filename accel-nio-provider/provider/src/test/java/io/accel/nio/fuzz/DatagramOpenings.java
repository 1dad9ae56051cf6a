// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import io.accel.nio.AccelDatagramChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;

/** Opening, binding, connecting and closing datagram channels. */
final class DatagramOpenings {
    private static final long PAUSE_NANOS = 1_000_000L;
    private static final int ROUNDS = 3;

    private DatagramOpenings() {}

    /** Closes the old channel, and opens a new one, for IPv4 alone or for all families. */
    record Open(int end, boolean internet4) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(end);
            if (here.channel() != null) {
                world.closing(here);
                here.channel().close();
            }
            here.channel(
                    internet4
                            ? here.provider().openDatagramChannel(StandardProtocolFamily.INET)
                            : here.provider().openDatagramChannel());
            return "opened";
        }
    }

    /** The address to bind to. */
    enum Where {
        LOOPBACK,
        ALL_ADDRESSES,
        ANYWHERE,
        SAME_AS_ANOTHER
    }

    /** Binds a channel. */
    record Bind(int end, Where where) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(end);
            if (here.channel() == null) {
                return "no channel";
            }
            SocketAddress address =
                    switch (where) {
                        case LOOPBACK -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
                        case ALL_ADDRESSES -> new InetSocketAddress(0);
                        case ANYWHERE -> null;
                        case SAME_AS_ANOTHER -> world.datagramEnd(end + 1).address();
                    };
            here.channel().bind(address);
            return "bound";
        }
    }

    /** Connects a channel to another, to itself, or to an address where nobody is. */
    record Connect(int end, int to, boolean adaptor) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(end);
            if (here.channel() == null) {
                return "no channel";
            }
            InetSocketAddress target = world.target(to);
            if (adaptor) {
                here.channel().socket().connect(target);
            } else {
                here.channel().connect(target);
            }
            here.emptied(); // datagrams from others are thrown away, and those from the peer as well
            return "connected";
        }
    }

    /** Disconnects a channel. */
    record Disconnect(int end, boolean adaptor) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(end);
            if (here.channel() == null) {
                return "no channel";
            }
            if (adaptor) {
                here.channel().socket().disconnect();
            } else {
                here.channel().disconnect();
            }
            return "disconnected";
        }
    }

    /** Closes a channel. */
    record Close(int end, boolean adaptor) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(end);
            if (here.channel() == null) {
                return "no channel";
            }
            world.closing(here);
            close(here, adaptor);
            return "closed";
        }
    }

    static void close(DatagramEnd here, boolean adaptor) throws IOException {
        if (adaptor) {
            here.channel().socket().close();
        } else {
            here.channel().close();
        }
        here.emptied();
        World.rest();
    }

    /**
     * Two channels that were just bound exchange some datagrams each way; with Accel, until these no longer go through the kernel. Only if
     * nothing is unread or registered.
     */
    record Warm(int one, int other) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(one);
            DatagramEnd there = world.datagramEnd(other);
            if (here == there || !isFree(here) || !isFree(there)) {
                return "not now";
            }
            here.channel().configureBlocking(false);
            there.channel().configureBlocking(false);
            long start = System.nanoTime();
            boolean moves = here.channel() instanceof AccelDatagramChannel
                    && there.channel() instanceof AccelDatagramChannel
                    && world.setting().mustMove()
                    && !mayShareItsPort(here)
                    && !mayShareItsPort(there);
            for (int i = 0; i < ROUNDS || (moves && !haveMoved(here, there) && !World.isOver(start)); i++) {
                exchange(here, there);
                exchange(there, here);
                if (i >= ROUNDS) {
                    World.pause(PAUSE_NANOS);
                }
            }
            if (moves) {
                world.warmed(haveMoved(here, there));
            }
            here.channel().configureBlocking(true);
            there.channel().configureBlocking(true);
            return "exchanged";
        }

        private static boolean isFree(DatagramEnd end) throws IOException {
            return end.address() != null
                    && !end.channel().isConnected()
                    && end.channel().isBlocking()
                    && end.unread() == 0;
        }

        /** Then it stays with the kernel. */
        private static boolean mayShareItsPort(DatagramEnd end) throws IOException {
            return end.channel().getOption(StandardSocketOptions.SO_REUSEADDR)
                    || end.channel().getOption(StandardSocketOptions.SO_REUSEPORT);
        }

        private static boolean haveMoved(DatagramEnd here, DatagramEnd there) throws IOException {
            return ((AccelDatagramChannel) here.channel()).path(there.address()).isAccelerated()
                    && ((AccelDatagramChannel) there.channel())
                            .path(here.address())
                            .isAccelerated();
        }

        private static void exchange(DatagramEnd from, DatagramEnd to) throws IOException {
            int unused = from.channel().send(ByteBuffer.allocate(1), to.address());
            long start = System.nanoTime();
            while (to.channel().receive(ByteBuffer.allocate(1)) == null) {
                if (World.isOver(start)) {
                    throw new IOException("a datagram that did not come");
                }
            }
        }
    }
}
