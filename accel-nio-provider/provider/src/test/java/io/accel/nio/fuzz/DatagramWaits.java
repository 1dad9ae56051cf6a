// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import io.accel.nio.fuzz.Datagrams.How;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;

/** Operations on datagram channels that wait, and the events that end them. */
final class DatagramWaits {
    private static final int SIZE = 50;

    private DatagramWaits() {}

    /** The events that end a wait. */
    enum Event {
        CLOSE,
        ADAPTOR_CLOSE,
        INTERRUPT,
        DATAGRAM,
        LARGE_DATAGRAM,
        NOBODY_IS_THERE
    }

    private static void happens(World world, Event event, DatagramEnd here, DatagramEnd other, Task task)
            throws IOException {
        switch (event) {
            case CLOSE -> DatagramOpenings.close(here, false);
            case ADAPTOR_CLOSE -> DatagramOpenings.close(here, true);
            case INTERRUPT -> task.interrupt();
            case DATAGRAM -> Datagrams.send(world, other, here.address(), SIZE, Shape.HEAP, How.ALONE);
            case LARGE_DATAGRAM ->
                Datagrams.send(world, other, here.address(), Datagrams.LARGEST, Shape.DIRECT, How.ALONE);
            case NOBODY_IS_THERE -> {
                int unused = here.channel().write(ByteBuffer.allocate(1));
            }
        }
    }

    /** Whether the event is possible, and certainly ends the wait. */
    private static boolean canHappen(World world, Event event, DatagramEnd here, DatagramEnd other) throws IOException {
        return switch (event) {
            case DATAGRAM, LARGE_DATAGRAM ->
                other.isOpen()
                        && other != here
                        && here.address() != null
                        && !other.channel().isConnected()
                        && other.address() != null
                        && (!here.channel().isConnected()
                                || other.address().equals(here.channel().getRemoteAddress()));
            case NOBODY_IS_THERE ->
                here.channel().isConnected()
                        && !world.isUnsure((InetSocketAddress) here.channel().getRemoteAddress())
                        && world.datagramEndAt(
                                        (InetSocketAddress) here.channel().getRemoteAddress())
                                == null;
            default -> true;
        };
    }

    /** A receive that waits, where it does. */
    record BlockedReceive(int end, int other, Shape shape, How how, Event event) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(end);
            DatagramEnd there = world.datagramEnd(other);
            if (!here.isOpen()
                    || !here.channel().isBlocking()
                    || !canHappen(world, event, here, there)
                    || (how == How.CONNECTED && !here.channel().isConnected())
                    || (how == How.ADAPTOR
                            && event == Event.INTERRUPT) // which the JDK's releases say in different words
                    || shape == Shape.READ_ONLY
                    || !Datagrams.receiveAll(world, here, Datagrams.ANY_SIZE).equals("{}")) {
                return "would not wait";
            }
            Task task = world.start(how == How.CONNECTED ? "read" : "receive", () -> receive(here));
            task.awaitWaiting();
            boolean waited = !task.isDone();
            happens(world, event, here, there, task);
            String outcome = (waited ? "" : "DID NOT WAIT ") + task.outcome(world);
            here.emptied();
            return outcome + (here.isOpen() ? ", open" : ", closed");
        }

        private String receive(DatagramEnd here) throws IOException {
            if (how != How.ADAPTOR) {
                return Datagrams.receive(here.channel(), SIZE / 2, shape, how);
            }
            DatagramPacket packet = new DatagramPacket(new byte[SIZE], SIZE);
            here.channel().socket().receive(packet);
            return packet.getSocketAddress() + " " + packet.getLength();
        }
    }

    /** The events that end a selection that waits. */
    enum SelectEvent {
        WAKE_UP,
        INTERRUPT,
        CLOSE,
        DATAGRAM,
        NOBODY_IS_THERE
    }

    /** A selection that waits, where it does. */
    record BlockedSelect(int selector, int end, int other, SelectEvent event) implements Step {
        @Override
        public String run(World world) throws Exception {
            Selector from = world.selector(selector);
            if (!from.isOpen() || !Selections.look(from, true).startsWith("{}")) {
                return "would not wait";
            }
            DatagramEnd here = world.datagramEnd(end);
            DatagramEnd there = world.datagramEnd(other);
            Event news = event == SelectEvent.DATAGRAM
                    ? Event.DATAGRAM
                    : event == SelectEvent.NOBODY_IS_THERE ? Event.NOBODY_IS_THERE : null;
            if (news != null
                    && (!here.isOpen()
                            || here.channel().keyFor(from) == null
                            || !canHappen(world, news, here, there))) {
                return "would not wait";
            }
            Task task = Selections.begin(world, from);
            boolean waited = !task.isDone();
            switch (event) {
                case WAKE_UP -> from.wakeup();
                case INTERRUPT -> task.interrupt();
                case CLOSE -> from.close();
                default -> happens(world, news, here, there, task);
            }
            return (waited ? "" : "DID NOT WAIT ") + Selections.outcome(world, from, task);
        }
    }

    /** An operation that an interrupted thread begins. */
    enum Begun {
        RECEIVE,
        READ,
        SEND,
        WRITE,
        CONNECT,
        ADAPTOR_SEND,
        SELECT
    }

    /** An operation by a thread that is interrupted already. */
    record Interrupted(int end, int other, Begun begun) implements Step {
        @Override
        public String run(World world) throws Exception {
            DatagramEnd here = world.datagramEnd(end);
            if (here.channel() == null) {
                return "no channel";
            }
            Selector selector = world.selector(0);
            InetSocketAddress target = world.target(other);
            Thread.currentThread().interrupt();
            String outcome;
            try {
                outcome = Datagrams.refused(world, here, () -> begin(world, here, target, selector));
            } catch (IOException | RuntimeException e) {
                outcome = world.thrown(e);
            }
            outcome += Thread.interrupted() ? ", interrupted" : ", not interrupted";
            World.rest();
            if (!here.isOpen()) {
                here.emptied();
            }
            return outcome + (here.isOpen() ? ", open" : ", closed");
        }

        private String begin(World world, DatagramEnd here, InetSocketAddress target, Selector selector)
                throws IOException {
            return switch (begun) {
                case RECEIVE -> isQuiet(here) ? Datagrams.receive(here.channel(), 1, Shape.HEAP, How.ALONE) : "not now";
                case READ ->
                    isQuiet(here) ? Datagrams.receive(here.channel(), 1, Shape.HEAP, How.CONNECTED) : "not now";
                case SEND -> Datagrams.send(world, here, target, SIZE, Shape.HEAP, How.ALONE);
                case WRITE ->
                    here.isOpen() && here.channel().isConnected()
                            ? Datagrams.send(
                                    world,
                                    here,
                                    (InetSocketAddress) here.channel().getRemoteAddress(),
                                    SIZE,
                                    Shape.HEAP,
                                    How.CONNECTED)
                            : "not now";
                case CONNECT -> {
                    here.channel().connect(target);
                    here.emptied();
                    yield "connected";
                }
                case ADAPTOR_SEND -> Datagrams.send(world, here, target, SIZE, Shape.HEAP, How.ADAPTOR);
                case SELECT -> String.valueOf(selector.select());
            };
        }

        /** Whether there is nothing to lose in the unread datagrams. */
        private static boolean isQuiet(DatagramEnd here) {
            return here.unread() == 0;
        }
    }
}
