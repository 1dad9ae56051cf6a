// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import io.accel.nio.fuzz.Pieces.Piece;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Operations whose buffers may fail. If they fail with the memory of a file, the kernel may have moved some of the bytes before, as it
 * likes; these steps move the others then, and all say the same.
 */
final class BufferSteps {
    private static final String NO_CHANNEL = "no channel";

    private BufferSteps() {}

    /** One operation, with one buffer or with all. */
    private static long write(SocketChannel channel, ByteBuffer[] buffers, boolean one) throws IOException {
        return one ? channel.write(buffers[0]) : channel.write(buffers);
    }

    private static List<Piece> used(List<Piece> pieces, boolean one) {
        return one ? pieces.subList(0, 1) : pieces;
    }

    /** The buffers without the bytes for which there is no room. */
    private static List<Piece> cut(List<Piece> pieces, int room) {
        List<Piece> fitting = new ArrayList<>();
        int left = room;
        for (Piece piece : pieces) {
            fitting.add(new Piece(piece.material(), Math.min(left, piece.size())));
            left -= Math.min(left, piece.size());
        }
        return fitting;
    }

    /** Writes what the buffers have, as far as there is room. */
    record Write(int end, List<Piece> pieces, boolean one) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.isWriteUnknown()) {
                return NO_CHANNEL;
            }
            List<Piece> fitting = cut(used(pieces, one), here.out().room(Pieces.size(used(pieces, one))));
            byte[] content = here.out().next(Pieces.size(fitting));
            Pieces buffers = Pieces.of(fitting, content);
            if (buffers.isGone() && !here.canSend()) {
                return "the memory is gone, and so is the reader"; // the kernel finds either first
            }
            String end = "";
            int before = 0;
            long start = System.nanoTime();
            try {
                do {
                    before = buffers.moved();
                    long n = write(here.channel(), buffers.buffers(), one);
                    if (buffers.moved() - before != n) {
                        end = " POSITION MOVED BY " + (buffers.moved() - before) + " FOR " + n;
                    }
                } while (buffers.moved() < content.length && here.canSend() && end.isEmpty() && !World.isOver(start));
            } catch (IOException | RuntimeException e) {
                end = " " + world.thrown(e) + (buffers.moved() == before ? "" : " AND MOVED");
            }
            int sent = buffers.moved();
            here.out().sent(sent);
            if (buffers.isGone()) {
                byte[] rest = here.out().next(Math.max(0, buffers.there() - sent));
                for (ByteBuffer src = ByteBuffer.wrap(rest); src.hasRemaining() && !World.isOver(start); ) {
                    here.channel().write(src);
                }
                here.out().sent(rest.length);
                sent += rest.length;
            }
            if (!here.canSend()) {
                World.rest();
            }
            return sent + " bytes" + end;
        }
    }

    /** Fills the buffers with the bytes on their way; if there are none, tries once, unless that would wait. */
    record Read(int end, List<Piece> pieces, boolean one) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.in().isUnknown()) {
                return NO_CHANNEL;
            }
            List<Piece> used = used(pieces, one);
            int size = Pieces.size(used);
            if (size > 0 && here.wouldWait()) {
                return "would wait";
            }
            Pieces buffers = Pieces.room(used);
            int goal = here.isInputShut() ? 0 : Math.min(size, here.in().inFlight());
            String end = Transfers.readExpected(world, here, size, () -> {
                int before = buffers.moved();
                long n = one
                        ? here.channel().read(buffers.buffers()[0])
                        : here.channel().read(buffers.buffers());
                if (buffers.moved() - before != Math.max(0, n)) {
                    throw new IllegalStateException("moved by " + (buffers.moved() - before) + " for " + n);
                }
                return n;
            });
            int rest = buffers.isGone() && goal > buffers.there() ? Math.max(0, goal - buffers.moved()) : 0;
            ByteBuffer all = buffers.taken(rest);
            long start = System.nanoTime();
            while (all.hasRemaining() && !World.isOver(start)) {
                int unused = here.channel().read(all);
            }
            return Transfers.received(here, all) + end;
        }
    }

    /** Sends a datagram of the buffers' bytes to a channel, or writes it to the peer. */
    record Send(int from, int to, List<Piece> pieces, boolean one, boolean connected) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(from);
            DatagramEnd there = world.datagramEnd(to);
            if (here.channel() == null || here == there || there.address() == null) {
                return NO_CHANNEL;
            }
            List<Piece> used = used(pieces, one || !connected);
            int size = Pieces.size(used);
            if (!there.hasRoom(size) || (here.channel().isConnected() && !there.hears(here))) {
                return "no room";
            }
            Pieces buffers = Pieces.of(used, world.datagram(size));
            try {
                long n = send(here.channel(), buffers.buffers(), there.address());
                if (n == size && (size > 0 || !here.channel().isConnected())) {
                    there.sent(here, size);
                }
                return n + " bytes" + (buffers.moved() == n ? "" : " AND MOVED BY " + buffers.moved());
            } catch (IOException | RuntimeException e) {
                return world.thrown(e) + (buffers.moved() == 0 ? "" : " AND MOVED");
            }
        }

        private long send(DatagramChannel channel, ByteBuffer[] buffers, InetSocketAddress target) throws IOException {
            return !connected
                    ? channel.send(buffers[0], target)
                    : one ? channel.write(buffers[0]) : channel.write(buffers);
        }
    }

    /** Receives a datagram into the buffers, unless that would wait. */
    record Receive(int to, List<Piece> pieces, boolean one, boolean connected) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(to);
            if (here.channel() == null || !here.isInOrder()) {
                return NO_CHANNEL;
            }
            if (here.isOpen() && here.channel().isBlocking() && here.unread() == 0) {
                return "would wait";
            }
            List<Piece> used = used(pieces, one || !connected);
            Pieces buffers = Pieces.room(used);
            long start = System.nanoTime();
            String got = receive(world, here, buffers);
            while (got.equals("none") && here.unread() > 0 && !World.isOver(start)) {
                World.rest();
                got = receive(world, here, buffers);
            }
            return got;
        }

        private String receive(World world, DatagramEnd here, Pieces buffers) {
            try {
                String source = receive(here.channel(), buffers.buffers());
                if (source.equals("0") && buffers.moved() == 0) {
                    return "none";
                }
                here.received();
                CRC32 sum = new CRC32();
                sum.update(buffers.taken(0).flip());
                return source + " " + buffers.moved() + ":" + Long.toHexString(sum.getValue());
            } catch (IOException e) {
                if ("Bad address".equals(e.getMessage())) {
                    here.received(); // it is lost
                }
                return failed(world, buffers, e);
            } catch (RuntimeException e) {
                return failed(world, buffers, e);
            }
        }

        private static String failed(World world, Pieces buffers, Exception e) {
            return world.thrown(e) + (buffers.moved() == 0 ? "" : " AND MOVED");
        }

        private String receive(DatagramChannel channel, ByteBuffer[] buffers) throws IOException {
            if (!connected) {
                SocketAddress source = channel.receive(buffers[0]);
                return source == null ? "0" : source.toString();
            }
            return String.valueOf(one ? channel.read(buffers[0]) : channel.read(buffers));
        }
    }
}
