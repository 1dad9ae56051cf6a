// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two threads use one channel at the same time: one waits in a read, the other writes without a pause to a peer that reads. Then
 * an event ends the channel, or a half of it.
 */
record Together(int end, Event event) implements Step {
    /** The event that ends it. */
    enum Event {
        CLOSE,
        ADAPTOR_CLOSE,
        INTERRUPT_READER,
        INTERRUPT_WRITER,
        SHUT_OUTPUT,
        SHUT_INPUT
    }

    private static final int PIECE = 700;
    /** The bytes that are written before, enough for a connection to move on the way. */
    private static final int BEFORE = 100 << 10;

    private static final int BEHIND = 16;
    private static final long PAUSE_NANOS = 100_000L;

    @Override
    public String run(World world) throws Exception {
        End here = world.end(end);
        if (here.channel() == null
                || !here.wouldWait()
                || here.in().isUnknown()
                || !here.canSend()
                || !here.peer().canSend()
                || here.channel().getOption(StandardSocketOptions.SO_LINGER) == 0) {
            return "would not wait";
        }
        Selections.letGo(world, here.channel());
        ByteBuffer room = ByteBuffer.allocate(BEHIND);
        AtomicLong written = new AtomicLong();
        AtomicBoolean stopped = new AtomicBoolean();
        long before = here.out().inFlight();
        Task reader = world.start("read", () -> here.channel().read(room) < 0 ? "the end" : "bytes");
        Task writer = world.start("write", () -> write(world, here, written, stopped));
        boolean endsOutput = event != Event.SHUT_INPUT;
        Received peers =
                new Received(here, () -> !endsOutput && writer.isDone() ? before + written.get() : Long.MAX_VALUE);
        Task peer = world.start("read", peers::all);
        awaitWritten(written, BEFORE);
        reader.awaitWaiting();
        String outcome = happened(world, here, reader, writer);
        if (event == Event.SHUT_INPUT) {
            awaitWritten(written, written.get() + PIECE);
            stopped.set(true);
        } else if (event == Event.SHUT_OUTPUT) {
            here.in().sent(here.peer().channel().write(ByteBuffer.wrap(here.in().next(BEHIND))));
        }
        outcome += "reader " + reader.outcome(world) + ", writer " + writer.outcome(world);
        outcome += ", peer " + peer.outcome(world);
        if (room.position() > 0) {
            outcome += ", " + Transfers.received(here, room);
        }
        // A write that an interrupt ends may have taken bytes that it does not report.
        here.out().sent(peers.count() - before);
        long lost = before + written.get() - peers.count();
        outcome += lost > 0 ? " LOST " + lost : "";
        return outcome + (here.channel().isOpen() ? ", open" : ", closed");
    }

    private String happened(World world, End here, Task reader, Task writer) {
        try {
            switch (event) {
                case CLOSE -> Endings.finish(here, Endings.Ending.CLOSE);
                case ADAPTOR_CLOSE -> Endings.finish(here, Endings.Ending.ADAPTOR_CLOSE);
                case INTERRUPT_READER -> reader.interrupt();
                case INTERRUPT_WRITER -> writer.interrupt();
                case SHUT_OUTPUT -> Endings.finish(here, Endings.Ending.SHUT_OUTPUT);
                case SHUT_INPUT -> Endings.finish(here, Endings.Ending.SHUT_INPUT);
            }
            return "";
        } catch (IOException | RuntimeException e) {
            return event + " " + world.thrown(e) + "; ";
        }
    }

    private static void awaitWritten(AtomicLong written, long least) {
        long start = System.nanoTime();
        while (written.get() < least && !World.isOver(start)) {
            World.pause(PAUSE_NANOS);
        }
    }

    /** The end may come in the middle of a write or between two, which the exceptions show; here both count as the same. */
    private String write(World world, End here, AtomicLong written, AtomicBoolean stopped) {
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        try {
            while (!stopped.get()) {
                here.out().fill(piece.clear(), written.get());
                while (piece.flip().hasRemaining()) {
                    written.addAndGet(here.channel().write(piece));
                    piece.compact();
                }
            }
            return "stopped";
        } catch (ClosedByInterruptException e) {
            return world.thrown(e);
        } catch (ClosedChannelException e) {
            return "refused";
        } catch (IOException e) {
            boolean refused = event == Event.SHUT_OUTPUT && "Broken pipe".equals(e.getMessage());
            return refused ? "refused" : world.thrown(e);
        }
    }

    /** The total number of bytes to come, as far as it is known; more if an end shows the total. */
    private interface Goal {
        long get();
    }

    /** The bytes that the peer of an end receives. One thread, and any thread that knows that it has ended. */
    private static final class Received {
        private final End from;
        private final Goal goal;
        private long count;

        Received(End from, Goal goal) {
            this.from = from;
            this.goal = goal;
        }

        long count() {
            return count;
        }

        /** Reads until it has all the bytes to come, or the end; without waiting, since its writer may stop. */
        String all() throws IOException {
            ByteBuffer room = ByteBuffer.allocate(4 * PIECE);
            String verdict = "ok";
            boolean blocking = from.peer().channel().isBlocking();
            long start = System.nanoTime();
            from.peer().channel().configureBlocking(false);
            try {
                while (count < goal.get()) {
                    int n = from.peer().channel().read(room.clear());
                    if (n < 0) {
                        return verdict + " and the end";
                    }
                    if (n == 0) {
                        Thread.yield();
                    }
                    if (World.isOver(start)) {
                        return verdict + " AND NO END";
                    }
                    count += n;
                    String said = from.out().received(room);
                    verdict = verdict.equals("ok") ? said : verdict;
                }
                return verdict;
            } finally {
                from.peer().channel().configureBlocking(blocking);
            }
        }
    }
}
