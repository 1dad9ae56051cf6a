// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import io.accel.nio.AccelSocketChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that runs on a thread of its own, within a limit, and records the outcome of each step. */
final class Run {
    /** How long a program that hangs may take to end when everything was closed under it. */
    private static final long END_SECONDS = 5;
    /** A program may bind two of its sockets to one port on purpose. */
    private static final int TRIES = 3;

    private static final String NO_END = " and no end";

    private final Setting setting;
    private final List<Step> program;
    private final List<String> trace = Collections.synchronizedList(new ArrayList<>());
    // These three are written by the program's thread, and read when it has ended.
    private int accepted;
    private int moved;
    private boolean hasSharedPort;

    private Run(Setting setting, List<Step> program) {
        this.setting = setting;
        this.program = program;
    }

    /**
     * Runs a program; again if the kernel happened to give one port twice, which a trace cannot tell apart.
     *
     * @param limitSeconds how long, before it is said to hang
     */
    static Run of(Setting setting, List<Step> program, int limitSeconds) {
        Run run = once(setting, program, limitSeconds);
        for (int i = 1; i < TRIES && run.hasSharedPort; i++) {
            run = once(setting, program, limitSeconds);
        }
        return run;
    }

    private static Run once(Setting setting, List<Step> program, int limitSeconds) {
        Run run = new Run(setting, program);
        Thread thread = new Thread(run::run, "fuzz-program");
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(limitSeconds));
            if (thread.isAlive()) {
                run.trace.add("HANGS in " + Arrays.asList(thread.getStackTrace()));
                thread.interrupt();
                thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("the fuzzer is not interrupted", e);
        }
        return run;
    }

    /** The outcome of each step. */
    List<String> trace() {
        synchronized (trace) {
            return List.copyOf(trace);
        }
    }

    /** How many connections were accepted, or pairs of datagram channels exchanged datagrams for some time. */
    int accepted() {
        return accepted;
    }

    /** How many of them have left the kernel's path. */
    int moved() {
        return moved;
    }

    private void run() {
        try (World world = new World(setting)) {
            for (int i = 0; i < program.size(); i++) {
                Step step = program.get(i);
                trace.add(step + ": " + world.plain(outcome(step, world)));
            }
            for (Connection connection : world.connections()) {
                count(connection.server());
                finish(world, connection);
            }
            hasSharedPort = world.hasSharedPort();
            accepted += world.warmed();
            moved += world.moved();
            for (DatagramEnd end : world.datagramEnds()) {
                if (end.isOpen()) {
                    trace.add(end.name() + " finds " + Datagrams.receiveAll(world, end, Datagrams.ANY_SIZE));
                }
            }
        } catch (Exception e) {
            trace.add("ends with " + e);
        }
    }

    private static String outcome(Step step, World world) {
        String outcome;
        try {
            outcome = step.run(world);
        } catch (Exception e) {
            outcome = world.thrown(e);
        }
        return Thread.interrupted() ? outcome + " AND LEFT AN INTERRUPT" : outcome;
    }

    private void count(End server) {
        if (server.channel() != null) {
            accepted++;
            if (server.channel() instanceof AccelSocketChannel channel
                    && channel.path().isAccelerated()) {
                moved++;
            }
        }
    }

    /** One end closes, and the other one reads what there is. */
    private void finish(World world, Connection connection) throws Exception {
        End first = connection.index() == 0 ? connection.client() : connection.server();
        End second = first.peer();
        if (first.channel() != null
                && second.channel() != null
                && second.channel().isOpen()) {
            Selections.letGo(world, first.channel());
            first.channel().close();
            trace.add(second.name() + " finds " + drain(world, second));
        }
    }

    private static String drain(World world, End here) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer room = ByteBuffer.allocate(World.ROOM);
        String end = NO_END;
        long start = System.nanoTime();
        here.channel().configureBlocking(false);
        try {
            while (!World.isOver(start)) {
                int n = here.channel().read(room.clear());
                if (n < 0) {
                    end = " and the end";
                    break;
                }
                all.write(room.array(), 0, n);
            }
        } catch (IOException | RuntimeException e) {
            end = " " + world.thrown(e);
        }
        if (here.in().isOverfull()) {
            return end.equals(NO_END) ? "no end" : "an end";
        }
        if (here.in().isUnknown()) {
            return "what there was" + end;
        }
        return Transfers.received(here, ByteBuffer.wrap(all.toByteArray()).position(all.size())) + end;
    }
}
