// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.rdma.RdmaFabric;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that speaks Accel's protocol over RDMA and has no end of any TCP connection. It listens beside somebody's listener, or asks for
 * the link of somebody's connection, says what it likes over a link that it gets, and reports what it finds there.
 */
final class StrangerProbe {
    private static final int RING = 1 << 16;
    private static final long SECONDS_20 = TimeUnit.SECONDS.toNanos(20);

    private StrangerProbe() {}

    /** Claims to have seen so many bytes, and guesses. */
    private record Guess(int sent, int received) implements Beginnings {
        @Override
        public int sumOfSent(int length) {
            return 42;
        }

        @Override
        public int sumOfReceived(int length) {
            return 42;
        }
    }

    /** {@code listen ADDRESS PORT}, or {@code ask|ask-knowing|ask-returning ADDRESS PORT CLIENT-PORT}. */
    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(args[1]), Integer.parseInt(args[2]));
        RdmaFabric fabric = new RdmaFabric(new RdmaConfig(
                PortSpace.TCP,
                RING,
                SECONDS_20,
                SECONDS_20,
                List.of(),
                0,
                0,
                64,
                220,
                16,
                16,
                64_000_000,
                7,
                7,
                1_000_000_000L,
                1_000_000_000L,
                false));
        if (args[0].equals("listen")) {
            try (Fabric.Listening listening = fabric.listen(address, new Taker())) {
                System.out.println(listening.waitsFor() == null ? "ready" : "the port is taken");
                boolean ended = System.in.read() < 0;
                System.out.println(ended ? "over" : "told to end");
            }
        } else {
            ask(fabric, address, args[0], Integer.parseInt(args[3]));
        }
    }

    private static void ask(Fabric fabric, InetSocketAddress address, String how, int port) throws IOException {
        Fabric.Source source = new Fabric.Source() {
            @Override
            public InetSocketAddress bind(InetAddress from) {
                return new InetSocketAddress(from, port);
            }

            @Override
            public Beginnings beginnings() {
                return how.equals("ask-knowing") ? new Guess(64, 64) : null;
            }
        };
        try {
            System.out.println("asking");
            Connecting connecting = fabric.connect(address, source, RING);
            Link link = connecting.advance();
            while (link == null) {
                LockSupport.parkNanos(1_000_000);
                link = connecting.advance();
            }
            System.out.println("linked");
            use(link, how.equals("ask-returning"));
        } catch (FallbackException e) {
            System.out.println("refused " + e.reason());
        }
    }

    /** Says and publishes all kinds of things, as a peer that has switched; then says whether anything has come, until the input ends. */
    private static void use(Link link, boolean returns) throws IOException {
        if (returns) {
            link.ownership().found(ByteBuffer.allocate(32)); // returns a secret that is none
        }
        link.ownership().place(700);
        ByteBuffer ring = link.sendRing().memory();
        for (int i = 0; i < RING / 2; i++) {
            ring.put(i, (byte) 'X');
        }
        link.signal(Link.ATTACHED);
        link.publish(0, RING / 2);
        link.signal(Link.SWITCHED | Link.URGENT_INLINE);
        System.out.println("said");
        while (System.in.read() >= 0) {
            boolean heard = false;
            for (int i = 0; i < RING; i++) {
                heard |= link.receiveRing().memory().get(i) != 0;
            }
            System.out.println(heard ? "heard bytes" : "heard nothing");
        }
    }

    /** Takes whoever asks for the client of a connection that it has accepted. */
    private static final class Taker implements Fabric.Acceptor {
        @Override
        public Known known(InetSocketAddress local, InetSocketAddress remote) {
            return new Known(local, new Guess(Beginnings.LIMIT, Beginnings.LIMIT));
        }

        @Override
        public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again) {
            System.out.println("asked by " + remote);
            return true;
        }

        @Override
        public void unreserve(InetSocketAddress local, InetSocketAddress remote) {}

        @Override
        public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
            return true;
        }

        @Override
        public boolean isSettled(Link link) {
            return true;
        }

        @Override
        public void confirmed(Link link) {
            System.out.println("given a link");
        }

        @Override
        public void withdrawn(Link link) {
            link.free();
        }
    }
}
