// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** Reading and writing. */
final class Transfers {
    private static final String NO_CHANNEL = "no channel";

    private Transfers() {}

    /** Writes so many bytes, as far as there is room, in one call if the peer may refuse them, and otherwise in as many calls as needed. */
    record Write(int end, int size, Shape shape) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.isWriteUnknown()) {
                return NO_CHANNEL;
            }
            int length = here.out().room(size);
            return write(world, here, shape, here.out().next(length));
        }
    }

    private static String write(World world, End here, Shape shape, byte[] bytes) {
        ByteBuffer[] several = shape == Shape.SEVERAL ? Shape.several(bytes) : new ByteBuffer[] {shape.of(bytes)};
        boolean once = !here.canSend();
        long start = System.nanoTime();
        long total = 0;
        String end = "";
        try {
            do {
                int before = remaining(several);
                long n = shape == Shape.SEVERAL
                        ? here.channel().write(several, 1, several.length - 2)
                        : here.channel().write(several[0]);
                if (before - remaining(several) != n) {
                    end = " POSITION MOVED BY " + (before - remaining(several)) + " FOR " + n;
                }
                total += Math.max(0, n);
                if (n < 0) {
                    end += " RETURNED " + n;
                }
                if (n == 0 && here.channel().isBlocking() && bytes.length > 0) {
                    end += " RETURNED 0";
                }
            } while (total < bytes.length && !once && end.isEmpty() && !World.isOver(start));
        } catch (IOException | RuntimeException e) {
            end = " " + world.thrown(e);
        }
        here.out().sent(total);
        if (once) {
            World.rest();
        }
        return total + " bytes" + end;
    }

    private static int remaining(ByteBuffer[] buffers) {
        return Arrays.stream(buffers).mapToInt(ByteBuffer::remaining).sum();
    }

    /** Reads the bytes on their way, up to so many; if there are none, tries once, unless that would wait. */
    record Read(int end, int size, Shape shape) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.in().isUnknown()) {
                return NO_CHANNEL;
            }
            if (size > 0 && here.wouldWait()) {
                return "would wait";
            }
            return shape == Shape.SEVERAL ? readSeveral(world, here, size) : readOne(world, here, size, shape);
        }
    }

    /** One call that reads into the rest of the same room each time. */
    interface Reading {
        long read() throws IOException;
    }

    /** Reads until it has all expected bytes; returns the end, or nothing if there were only bytes. */
    static String readExpected(World world, End here, int size, Reading reading) {
        int goal = here.isInputShut() ? 0 : Math.min(size, here.in().inFlight());
        long start = System.nanoTime();
        long total = 0;
        try {
            while (true) {
                long n = reading.read();
                if (n < 0) {
                    return " and the end";
                }
                total += n;
                if (total > 0 && total >= goal) {
                    return "";
                }
                boolean more = size > 0 && (goal > 0 || (here.expectsEnd() && !here.isInputShut()));
                if (!more || World.isOver(start)) {
                    return total < goal ? " and no more" : "";
                }
            }
        } catch (IOException | RuntimeException e) {
            return " " + world.thrown(e);
        }
    }

    private static String readOne(World world, End here, int size, Shape shape) {
        ByteBuffer room = shape.room(size);
        int from = room.position();
        SocketChannel channel = here.channel();
        String end = readExpected(world, here, size, () -> {
            int before = room.position();
            int n = channel.read(room);
            if (room.position() - before != Math.max(0, n)) {
                throw new IllegalStateException("position moved by " + (room.position() - before) + " for " + n);
            }
            return n;
        });
        return received(
                        here,
                        ByteBuffer.allocate(size).put(room.duplicate().flip().position(from)))
                + end;
    }

    private static String readSeveral(World world, End here, int size) {
        ByteBuffer[] rooms = Shape.several(size);
        SocketChannel channel = here.channel();
        String end = readExpected(world, here, size, () -> {
            int before = remaining(rooms);
            long n = channel.read(rooms, 1, rooms.length - 2);
            if (before - remaining(rooms) != Math.max(0, n)) {
                throw new IllegalStateException("positions moved by " + (before - remaining(rooms)) + " for " + n);
            }
            return n;
        });
        ByteBuffer all = ByteBuffer.allocate(size);
        for (ByteBuffer room : rooms) {
            all.put(room.flip());
        }
        return received(here, all) + end;
    }

    static String received(End here, ByteBuffer bytes) {
        return bytes.position() + " bytes " + here.in().received(bytes);
    }

    /**
     * Sends from a file, if that is possible: failures of transfers differ between the JDK's releases, and from transfers in pieces, which
     * the JDK makes for a channel that is not its own.
     */
    record TransferTo(int end, int size) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (!here.canSend()) {
                return NO_CHANNEL;
            }
            byte[] bytes = here.out().next(here.out().room(size));
            Path path = Files.write(Files.createTempFile("fuzz", null), bytes);
            long total = 0;
            String end = "";
            long start = System.nanoTime();
            try (FileChannel file =
                    FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE)) {
                do {
                    total += file.transferTo(total, bytes.length - total, here.channel());
                } while (total < bytes.length && !World.isOver(start));
            } catch (IOException | RuntimeException e) {
                end = " " + world.thrown(e);
            }
            here.out().sent(total);
            World.rest();
            return total + " bytes" + end;
        }
    }

    /** Receives the bytes on their way into a file. */
    record TransferFrom(int end, int size) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.in().isUnknown()) {
                return NO_CHANNEL;
            }
            int goal = Math.min(size, here.in().inFlight());
            if (goal == 0 && here.wouldWait()) {
                return "would wait";
            }
            Path path = Files.createTempFile("fuzz", null);
            long total = 0;
            String end = "";
            long start = System.nanoTime();
            ByteBuffer bytes = ByteBuffer.allocate(size);
            try (FileChannel file = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
                do {
                    total += file.transferFrom(here.channel(), total, goal - total);
                } while (total < goal && !here.isInputShut() && !World.isOver(start));
                bytes.limit((int) total);
                for (int n = 0; n >= 0 && bytes.hasRemaining(); ) {
                    n = file.read(bytes);
                }
            } catch (IOException | RuntimeException e) {
                end = " " + world.thrown(e);
            }
            return received(here, bytes) + end;
        }
    }

    /** Messages there and back, with a moment after each, so that a connection that has to move does so on the way. */
    record Talk(int connection, int rounds, int size) implements Step {
        @Override
        public String run(World world) throws Exception {
            Connection both = world.connection(connection);
            if (!both.client().canSend() || !both.server().canSend()) {
                return NO_CHANNEL;
            }
            StringBuilder outcome = new StringBuilder();
            for (int i = 0; i < rounds; i++) {
                End from = i % 2 == 0 ? both.client() : both.server();
                byte[] bytes = from.out().next(from.out().room(size));
                outcome.append(write(world, from, Shape.HEAP, bytes));
                if (bytes.length > 0) {
                    outcome.append(' ')
                            .append(readOne(world, from.peer(), bytes.length, Shape.HEAP))
                            .append("; ");
                }
                World.rest();
            }
            return outcome.toString();
        }
    }

    /** Both ends send and receive at the same time, each with two threads, more than any path holds. */
    record Exchange(int connection, int up, int down, Shape shape) implements Step {
        @Override
        public String run(World world) throws Exception {
            Connection both = world.connection(connection);
            End client = both.client();
            End server = both.server();
            if (!client.canSend() || !server.canSend()) {
                return NO_CHANNEL;
            }
            byte[] bytesUp = client.out().next(up);
            byte[] bytesDown = server.out().next(down);
            int expectedUp = client.out().inFlight() + up;
            int expectedDown = server.out().inFlight() + down;
            Task writesUp = world.start("write", () -> writeAll(client, bytesUp));
            Task writesDown = world.start("write", () -> writeAll(server, bytesDown));
            Task readsUp = world.start("read", () -> readAll(server, expectedUp));
            Task readsDown = world.start("read", () -> readAll(client, expectedDown));
            String outcome = "up " + writesUp.outcome(world) + ", " + readsUp.outcome(world) + ", down "
                    + writesDown.outcome(world) + ", " + readsDown.outcome(world);
            client.out().sent(up);
            server.out().sent(down);
            return outcome;
        }

        private String writeAll(End here, byte[] bytes) throws IOException {
            ByteBuffer[] several = shape == Shape.SEVERAL ? Shape.several(bytes) : new ByteBuffer[] {shape.of(bytes)};
            long total = 0;
            while (total < bytes.length) {
                long n = shape == Shape.SEVERAL
                        ? here.channel().write(several, 1, several.length - 2)
                        : here.channel().write(several[0]);
                if (n == 0) {
                    Thread.yield();
                }
                total += n;
            }
            return total + " bytes";
        }

        private static String readAll(End here, int length) throws IOException {
            ByteBuffer room = ByteBuffer.allocate(length);
            while (room.hasRemaining()) {
                int n = here.channel().read(room);
                if (n < 0) {
                    return received(here, room) + " and the end";
                }
                if (n == 0) {
                    Thread.yield();
                }
            }
            return received(here, room);
        }
    }
}
