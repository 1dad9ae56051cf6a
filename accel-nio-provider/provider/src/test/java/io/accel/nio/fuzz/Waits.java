// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** Operations that wait, and the events that end them. */
final class Waits {
    private static final int CHUNK = 4096;
    private static final long QUIET_NANOS = 20_000_000L;
    private static final long PAUSE_NANOS = 1_000_000L;

    private Waits() {}

    /** How to read. */
    enum Reader {
        ONE,
        SEVERAL,
        ADAPTOR
    }

    /** The events that end a wait. */
    enum Event {
        CLOSE,
        RESET,
        INTERRUPT,
        SHUT,
        ADAPTOR_CLOSE,
        PEER_WRITES,
        PEER_SHUTS_OUTPUT,
        PEER_CLOSES,
        PEER_RESETS;

        boolean isThePeers() {
            return name().startsWith("PEER_");
        }
    }

    private static String happens(Event event, End here, Task task) throws IOException {
        switch (event) {
            case CLOSE -> Endings.finish(here, Endings.Ending.CLOSE);
            case RESET -> Endings.finish(here, Endings.Ending.RESET);
            case INTERRUPT -> task.interrupt();
            case SHUT -> Endings.finish(here, Endings.Ending.SHUT_INPUT);
            case ADAPTOR_CLOSE -> Endings.finish(here, Endings.Ending.ADAPTOR_CLOSE);
            case PEER_WRITES -> {
                byte[] bytes = here.in().next(CHUNK);
                here.in().sent(here.peer().channel().write(ByteBuffer.wrap(bytes)));
            }
            case PEER_SHUTS_OUTPUT -> Endings.finish(here.peer(), Endings.Ending.SHUT_OUTPUT);
            case PEER_CLOSES -> Endings.finish(here.peer(), Endings.Ending.CLOSE);
            case PEER_RESETS -> Endings.finish(here.peer(), Endings.Ending.RESET);
        }
        return "";
    }

    private static String happened(World world, Event event, End here, Task task) {
        try {
            return happens(event, here, task);
        } catch (IOException | RuntimeException e) {
            return event + " " + world.thrown(e) + "; ";
        }
    }

    /** Either end may close. */
    private static void letGo(World world, End here) throws Exception {
        Selections.letGo(world, here.channel());
        Selections.letGo(world, here.peer().channel());
    }

    /** A read that waits, where it does. */
    record BlockedRead(int end, Reader reader, Event event) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null
                    || !here.wouldWait()
                    || !here.peer().canSend()
                    || here.in().isUnknown()) {
                return "would not wait";
            }
            letGo(world, here);
            ByteBuffer room = ByteBuffer.allocate(CHUNK);
            Task task = world.start("read", () -> readOnce(here.channel(), room) < 0 ? "the end" : "bytes");
            task.awaitWaiting();
            boolean waited = !task.isDone();
            String happened = happened(world, event, here, task);
            String outcome = (waited ? "" : "DID NOT WAIT ") + happened + task.outcome(world);
            if (room.position() > 0) {
                outcome += " " + rest(world, here, room);
            }
            return outcome + (here.channel().isOpen() ? ", open" : ", closed");
        }

        private long readOnce(SocketChannel channel, ByteBuffer room) throws IOException {
            return switch (reader) {
                case ONE -> channel.read(room);
                case SEVERAL -> channel.read(new ByteBuffer[] {ByteBuffer.allocate(0), room});
                case ADAPTOR -> {
                    byte[] bytes = new byte[room.remaining()];
                    int n = channel.socket().getInputStream().read(bytes);
                    room.put(bytes, 0, Math.max(0, n));
                    yield n;
                }
            };
        }

        /** The rest of the bytes that were written: the first read may have brought less than all. */
        private static String rest(World world, End here, ByteBuffer room) {
            long start = System.nanoTime();
            String end = "";
            try {
                while (room.position() < here.in().inFlight() && !World.isOver(start)) {
                    if (here.channel().read(room) < 0) {
                        end = " and the end";
                        break;
                    }
                }
            } catch (IOException e) {
                end = " " + world.thrown(e);
            }
            return Transfers.received(here, room) + end;
        }
    }

    /**
     * One write of more bytes than any path takes, which an event ends, and the next write. The number of bytes taken is not
     * compared, since it depends on the path. So is, where the writer has closed, the fate of bytes that its peer writes before
     * it has read all, and the words of the refusal: see docs/LIMITS.md. A registered peer does not end it, since its kernel
     * hears of the close later.
     */
    record BlockedWrite(int end, Event event) implements Step {
        private static final ByteBuffer MUCH = ByteBuffer.allocateDirect(16 << 20);

        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            boolean endsIt = event != Event.PEER_WRITES && event != Event.PEER_SHUTS_OUTPUT;
            if (!endsIt
                    || here.channel() == null
                    || !here.canSend()
                    || !here.channel().isBlocking()
                    || (event.isThePeers() && here.peer().channel().isRegistered())) {
                return "would not wait";
            }
            letGo(world, here);
            ByteBuffer bytes = MUCH.duplicate();
            here.out().overfill();
            Task task = world.start("write", () -> {
                int n = here.channel().write(bytes);
                return n == bytes.position() && n > 0 ? "some" : n + " AT " + bytes.position();
            });
            awaitQuiet(here, task);
            boolean waited = !task.isDone();
            String happened = event == Event.SHUT ? shutOutput(world, here) : happened(world, event, here, task);
            String outcome = (waited ? "" : "DID NOT WAIT ") + happened + task.outcome(world);
            World.rest();
            return outcome + ", then " + next(world, here) + (here.channel().isOpen() ? ", open" : ", closed");
        }

        private static String shutOutput(World world, End here) {
            try {
                Endings.finish(here, Endings.Ending.SHUT_OUTPUT);
                return "";
            } catch (IOException | RuntimeException e) {
                return world.thrown(e) + "; ";
            }
        }

        private static String next(World world, End here) {
            try {
                return String.valueOf(here.channel().write(ByteBuffer.allocate(1)));
            } catch (IOException | RuntimeException e) {
                boolean isUnsure = here.peer().isClosed() && here.in().isOverfull();
                return isUnsure && e.getClass() == IOException.class ? "refused" : world.thrown(e);
            }
        }

        /** Waits until the peer has had all the bytes that it will get. */
        private static void awaitQuiet(End here, Task task) throws IOException {
            long start = System.nanoTime();
            long since = start;
            int last = -1;
            while (System.nanoTime() - since < QUIET_NANOS && !task.isDone() && !World.isOver(start)) {
                int now = here.peer().channel().socket().getInputStream().available();
                if (now != last) {
                    last = now;
                    since = System.nanoTime();
                }
                World.pause(PAUSE_NANOS);
            }
            task.awaitWaiting();
        }
    }

    /** The events that end an accept that waits. */
    enum AcceptEvent {
        CLOSE,
        INTERRUPT,
        CONNECT
    }

    /** An accept that waits, where it does. */
    record BlockedAccept(int connection, boolean adaptor, AcceptEvent event) implements Step {
        @Override
        public String run(World world) throws Exception {
            Connection from = world.connection(connection);
            if (!from.listener().isOpen() || !from.listener().isBlocking() || from.isPending()) {
                return "would not wait";
            }
            Task task = world.start("accept", () -> {
                SocketChannel accepted = adaptor
                        ? from.listener().socket().accept().getChannel()
                        : from.listener().accept();
                accepted.close();
                return "accepted";
            });
            task.awaitWaiting();
            boolean waited = !task.isDone();
            switch (event) {
                case CLOSE -> from.listener().close();
                case INTERRUPT -> task.interrupt();
                case CONNECT -> {
                    try (SocketChannel channel = world.setting().client().openSocketChannel()) {
                        channel.connect(from.address());
                        return (waited ? "" : "DID NOT WAIT ") + task.outcome(world);
                    }
                }
            }
            return (waited ? "" : "DID NOT WAIT ")
                    + task.outcome(world)
                    + (from.listener().isOpen() ? ", open" : ", closed");
        }
    }

    /** The events that end a selection that waits. */
    enum SelectEvent {
        WAKE_UP,
        INTERRUPT,
        CLOSE,
        PEER_WRITES,
        PEER_SHUTS_OUTPUT,
        PEER_CLOSES,
        PEER_RESETS
    }

    /** A selection that waits, where it does. */
    record BlockedSelect(int selector, int end, SelectEvent event) implements Step {
        @Override
        public String run(World world) throws Exception {
            Selector from = world.selector(selector);
            if (!from.isOpen()
                    || !Selections.look(from, true).startsWith("{}")
                    || Selections.mayReturnWithNothing(from)) {
                return "would not wait";
            }
            End here = world.end(end);
            boolean news = event.name().startsWith("PEER_");
            if (news && (!here.peer().canSend() || here.channel().keyFor(from) == null)) {
                return "would not wait";
            }
            letGo(world, here);
            Task task = Selections.begin(world, from);
            boolean waited = !task.isDone();
            switch (event) {
                case WAKE_UP -> from.wakeup();
                case INTERRUPT -> task.interrupt();
                case CLOSE -> from.close();
                case PEER_WRITES -> happens(Event.PEER_WRITES, here, task);
                case PEER_SHUTS_OUTPUT -> happens(Event.PEER_SHUTS_OUTPUT, here, task);
                case PEER_CLOSES -> happens(Event.PEER_CLOSES, here, task);
                case PEER_RESETS -> happens(Event.PEER_RESETS, here, task);
            }
            return (waited ? "" : "DID NOT WAIT ") + Selections.outcome(world, from, task);
        }
    }

    /** An operation that an interrupted thread begins. */
    enum Begun {
        READ,
        WRITE,
        ADAPTOR_READ,
        SELECT,
        ACCEPT,
        CONNECT
    }

    /** An operation by a thread that is interrupted already. */
    record Interrupted(int end, Begun begun) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.out().isUnknown() || here.in().isUnknown()) {
                return "no channel";
            }
            // The later trace shows whether an operation that is nevertheless done has an effect; it does not show the
            // bytes.
            boolean quiet = here.in().inFlight() == 0 && !here.out().isShut();
            if (!quiet) {
                return "not now";
            }
            letGo(world, here);
            Selector selector = world.selector(0);
            Thread.currentThread().interrupt();
            String outcome;
            try {
                outcome = begin(world, here, selector);
            } catch (IOException | RuntimeException e) {
                outcome = world.thrown(e);
            }
            outcome += Thread.interrupted() ? ", interrupted" : ", not interrupted";
            World.rest();
            return outcome + (here.channel().isOpen() ? ", open" : ", closed");
        }

        private String begin(World world, End here, Selector selector) throws IOException {
            Connection connection = world.connection(end / 2);
            return switch (begun) {
                case READ -> String.valueOf(here.channel().read(ByteBuffer.allocate(1)));
                case WRITE -> {
                    int n = here.channel().write(ByteBuffer.wrap(here.out().next(1)));
                    here.out().sent(n);
                    yield String.valueOf(n);
                }
                case ADAPTOR_READ ->
                    String.valueOf(here.channel().socket().getInputStream().read());
                case SELECT -> String.valueOf(selector.select());
                case ACCEPT ->
                    connection.isPending()
                            ? "pending"
                            : String.valueOf(connection.listener().accept());
                case CONNECT -> {
                    boolean before = here.channel().isConnected();
                    boolean connected = here.channel().connect(connection.address());
                    if (!before && here.channel().isConnected()) {
                        connection.established();
                    }
                    yield connected ? "connected" : "connecting";
                }
            };
        }
    }
}
