// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.zip.CRC32;

/** Sending and receiving datagrams. Each is recognised by its length and the checksum of its bytes, which differ each time. */
final class Datagrams {
    /** More than a datagram has. */
    static final int ANY_SIZE = 70_000;
    /** The most that one has by IPv4. */
    static final int LARGEST = 65_507;

    private static final String NO_CHANNEL = "no channel";
    private static final int TIMEOUT_MILLIS = 15;
    private static final long LATE_NANOS = 100_000_000L;

    private Datagrams() {}

    /**
     * The outcome of an operation that begins when the channel is closed: JDK 17's waits are ended by a close that came before,
     * newer ones' are not.
     */
    static String refused(World world, DatagramEnd here, Callable<String> operation) throws Exception {
        boolean open = here.isOpen();
        try {
            return operation.call();
        } catch (AsynchronousCloseException e) {
            return world.thrown(open ? e : new ClosedChannelException());
        }
    }

    /** Whether datagrams on their way have had the time to come: over a link that was found this very moment they may take some. */
    private static boolean isLate(long startNanos) {
        return System.nanoTime() - startNanos > LATE_NANOS;
    }

    /** How to send or receive. */
    enum How {
        ALONE,
        CONNECTED,
        ADAPTOR
    }

    /** Sends a datagram to one of the program's channels, or to an address where nobody is; writes it to the peer if connected. */
    record Send(int from, int to, int size, Shape shape, How how) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(from);
            if (here.channel() == null) {
                return NO_CHANNEL;
            }
            SocketAddress peer = here.isOpen() ? here.channel().getRemoteAddress() : null;
            InetSocketAddress target = how == How.CONNECTED ? (InetSocketAddress) peer : world.target(to);
            return refused(world, here, () -> send(world, here, target, size, shape, how));
        }
    }

    static String send(World world, DatagramEnd here, InetSocketAddress target, int size, Shape shape, How how)
            throws IOException {
        DatagramEnd there = world.datagramEndAt(target);
        if (there != null && !there.hasRoom(size)) {
            return "no room";
        }
        if (here.channel().isConnected() && world.isUnsure(target)) {
            return "perhaps nobody";
        }
        if (there != null && here.channel().isConnected() && !there.hears(here)) {
            return "not heard"; // the kernel tells the sender of that, and a link does not: docs/LIMITS.md
        }
        ByteBuffer[] bytes = several(shape, how, world.datagram(size));
        long n =
                switch (how) {
                    case CONNECTED ->
                        bytes.length == 1
                                ? here.channel().write(bytes[0])
                                : here.channel().write(bytes, 1, bytes.length - 2);
                    case ALONE -> here.channel().send(bytes[0], target);
                    case ADAPTOR -> {
                        byte[] all = new byte[bytes[0].remaining()];
                        bytes[0].get(all);
                        here.channel().socket().send(new DatagramPacket(all, all.length, target));
                        yield all.length;
                    }
                };
        if (there == null) {
            World.rest(); // the sender hears a moment later that nobody is there
        } else if (n == size) {
            there.sent(here, size);
        }
        int left = Arrays.stream(bytes, bytes.length == 1 ? 0 : 1, Math.max(1, bytes.length - 1))
                .mapToInt(ByteBuffer::remaining)
                .sum();
        return n + " bytes" + (left == size - n ? "" : " AND " + left + " LEFT");
    }

    private static ByteBuffer[] several(Shape shape, How how, byte[] bytes) {
        return shape == Shape.SEVERAL && how == How.CONNECTED
                ? Shape.several(bytes)
                : new ByteBuffer[] {(shape == Shape.SEVERAL ? Shape.HEAP : shape).of(bytes)};
    }

    /** Receives one datagram, unless that would wait, or datagrams of several senders come in any order. */
    record Receive(int to, int room, Shape shape, How how) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(to);
            if (here.channel() == null) {
                return NO_CHANNEL;
            }
            if (!here.isInOrder()) {
                return "any order";
            }
            if (here.isOpen() && here.channel().isBlocking() && here.unread() == 0 && how != How.ADAPTOR) {
                return "would wait";
            }
            Callable<String> receive = () -> receive(here.channel(), room, shape, how);
            String got = here.isOpen() && here.channel().isBlocking()
                    ? within(world, here, receive)
                    : refused(world, here, receive);
            long start = System.nanoTime();
            while (got.equals("none") && here.unread() > 0 && !isLate(start)) {
                World.rest();
                got = refused(world, here, receive);
            }
            if (!got.equals("none") && !got.startsWith("threw")) {
                here.received();
            }
            return got;
        }
    }

    /** In blocking mode: if nothing comes, ends it. */
    private static String within(World world, DatagramEnd here, Callable<String> receive) throws Exception {
        Task task = world.start("receive", receive);
        String got = task.outcome(world);
        if (!task.isDone()) {
            here.channel().close();
        }
        return got;
    }

    /** Receives once; "none" if there is nothing. */
    static String receive(DatagramChannel from, int room, Shape shape, How how) throws IOException {
        if (how == How.ADAPTOR) {
            return receiveByAdaptor(from, room);
        }
        boolean several = shape == Shape.SEVERAL && how == How.CONNECTED;
        ByteBuffer[] into = several
                ? Shape.several(room)
                : new ByteBuffer[] {(shape == Shape.SEVERAL ? Shape.HEAP : shape).room(room)};
        ByteBuffer[] starts = Arrays.stream(into).map(ByteBuffer::duplicate).toArray(ByteBuffer[]::new);
        if (how == How.ALONE) {
            SocketAddress source = from.receive(into[0]);
            return source == null ? none(into, starts) : source + " " + told(into, starts);
        }
        long n = several ? from.read(into, 1, into.length - 2) : from.read(into[0]);
        int moved = moved(into, starts);
        return n == moved ? "read " + told(into, starts) : "MOVED BY " + moved + " FOR " + n;
    }

    private static String none(ByteBuffer[] into, ByteBuffer[] starts) {
        return moved(into, starts) == 0 ? "none" : "none AND MOVED";
    }

    private static int moved(ByteBuffer[] into, ByteBuffer[] starts) {
        int moved = 0;
        for (int i = 0; i < into.length; i++) {
            moved += into[i].position() - starts[i].position();
        }
        return moved;
    }

    private static String told(ByteBuffer[] into, ByteBuffer[] starts) {
        int length = moved(into, starts);
        CRC32 sum = new CRC32();
        for (int i = 0; i < into.length; i++) {
            sum.update(starts[i].limit(into[i].position()));
        }
        return told(length, sum);
    }

    private static String told(int length, CRC32 sum) {
        return length + ":" + Long.toHexString(sum.getValue());
    }

    private static String receiveByAdaptor(DatagramChannel from, int room) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[room], room);
        from.socket().setSoTimeout(TIMEOUT_MILLIS);
        try {
            from.socket().receive(packet);
        } catch (SocketTimeoutException e) {
            return "none";
        } finally {
            if (from.isOpen()) {
                from.socket().setSoTimeout(0);
            }
        }
        CRC32 sum = new CRC32();
        sum.update(packet.getData(), packet.getOffset(), packet.getLength());
        return packet.getSocketAddress() + " " + told(packet.getLength(), sum);
    }

    /** Receives all datagrams, and lists them by sender. */
    record ReceiveAll(int to, int room) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(to);
            return here.channel() == null ? NO_CHANNEL : refused(world, here, () -> receiveAll(world, here, room));
        }
    }

    static String receiveAll(World world, DatagramEnd here, int room) throws IOException {
        boolean blocking = here.channel().isBlocking();
        if (here.isOpen() && blocking) {
            here.channel().configureBlocking(false);
        }
        int least = here.unread();
        here.emptied();
        Map<String, List<String>> all = new TreeMap<>();
        long start = System.nanoTime();
        try {
            for (int quiet = 0, count = 0; quiet < 2 || (count < least && !isLate(start)); quiet++) {
                while (receiveOne(world, here.channel(), room, all)) {
                    quiet = 0;
                    count++;
                }
                World.rest();
            }
        } finally {
            if (here.isOpen() && blocking) {
                here.channel().configureBlocking(true);
            }
        }
        return all.toString();
    }

    private static boolean receiveOne(World world, DatagramChannel from, int room, Map<String, List<String>> all)
            throws IOException {
        String source;
        String told;
        try {
            String got = receive(from, room, Shape.DIRECT, How.ALONE);
            if (got.equals("none")) {
                return false;
            }
            source = world.plain(got.substring(0, got.indexOf(' ')));
            told = got.substring(got.indexOf(' ') + 1);
        } catch (PortUnreachableException e) {
            source = "nobody";
            told = world.thrown(e);
        }
        all.computeIfAbsent(source, any -> new ArrayList<>()).add(told);
        return true;
    }

    /** Sends datagrams one way, and each of them back, without a pause. */
    record Talk(int one, int other, int rounds, int size) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(one);
            DatagramEnd there = world.datagramEnd(other);
            if (here == there || !canTalk(here, there) || !canTalk(there, here) || size > LARGEST) {
                return "not now";
            }
            int came = 0;
            for (int i = 0; i < rounds; i++) {
                came += passOn(world, here, there) + passOn(world, there, here);
            }
            return came + " datagrams";
        }

        private boolean canTalk(DatagramEnd from, DatagramEnd to) throws IOException {
            if (!from.isOpen()
                    || from.address() == null
                    || from.unread() > 0
                    || from.channel().isBlocking()) {
                return false;
            }
            SocketAddress peer = from.channel().getRemoteAddress();
            // A connected channel does not send an empty datagram at all.
            return peer == null || (size > 0 && peer.equals(to.address()));
        }

        private int passOn(World world, DatagramEnd from, DatagramEnd to) throws IOException {
            byte[] bytes = world.datagram(size);
            int unused = from.channel().send(ByteBuffer.wrap(bytes), to.address());
            ByteBuffer room = ByteBuffer.allocate(size + 1);
            long start = System.nanoTime();
            while (to.channel().receive(room) == null) {
                if (World.isOver(start)) {
                    return 0;
                }
            }
            return room.flip().equals(ByteBuffer.wrap(bytes)) ? 1 : 1_000_000;
        }
    }
}
