// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that opens one connection after the other to a server, has some conversations on each and ends it in one of
 * four ways. Its actions depend on its seed, not on time. The addresses are those of a server, and may change.
 */
class Talker extends Thread {
    private static final List<Wire.Way> WAYS = List.of(Wire.Way.values());
    private static final List<Ending> ENDINGS = List.of(Ending.values());
    private static final int MOST_CONVERSATIONS = 4;
    private static final long PAUSE_NANOS = 20_000_000;

    private final Tally tally;
    private final boolean resident;
    private final SplittableRandom random;
    private volatile List<SocketAddress> addresses;
    private volatile boolean paused;
    private volatile boolean idle;
    private volatile long since = System.nanoTime();
    private volatile String doing = "nothing yet";

    /** @param resident whether neither this program nor its server is ever killed: then nothing may go wrong */
    Talker(String name, Tally tally, boolean resident, long seed, List<SocketAddress> addresses) {
        super(name);
        this.tally = tally;
        this.resident = resident;
        this.random = new SplittableRandom(seed);
        this.addresses = addresses;
        setDaemon(true);
    }

    /** To be ended in which way. */
    private enum Ending {
        CLOSE,
        HALF_CLOSE,
        RESET,
        SERVER_CLOSES
    }

    void talkTo(List<SocketAddress> newAddresses) {
        addresses = newAddresses;
    }

    /** Stops after the open connection; {@link #isIdle()} tells when. */
    void pause(boolean pause) {
        paused = pause;
        LockSupport.unpark(this);
    }

    boolean isIdle() {
        return idle && paused;
    }

    /** How long the present connection has lasted, in milliseconds. */
    long age() {
        return idle ? 0 : (System.nanoTime() - since) / 1_000_000;
    }

    String doing() {
        return doing;
    }

    @Override
    public void run() {
        while (true) {
            while (paused) {
                idle = true;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            idle = false;
            beginsAnew();
            connection(random.split());
        }
    }

    /** From now on it counts how long the present work lasts. */
    final void beginsAnew() {
        since = System.nanoTime();
    }

    final boolean isPaused() {
        return paused;
    }

    /** Has a connection, from its begin to its end. */
    void connection(SplittableRandom choice) {
        Wire.Way way = pick(choice, WAYS);
        Ending ending = pick(choice, ENDINGS);
        SocketAddress server = pick(choice, addresses);
        int conversations = 1 + choice.nextInt(MOST_CONVERSATIONS);
        does(way + " to " + server);
        tally.connections.incrementAndGet();
        try (Wire wire = Wire.connect(way, server)) {
            Talk talk = new Talk(wire, choice.split());
            for (int i = 1; i <= conversations; i++) {
                boolean closes = i == conversations && ending == Ending.SERVER_CLOSES;
                Conversation conversation = Conversation.random(choice, resident, closes);
                does(way + " to " + server + ", " + conversation);
                talk.hold(conversation);
                tally.finished(conversation);
            }
            does(way + " to " + server + ", " + ending);
            end(wire, talk, ending);
        } catch (IOException | WrongBytesException e) {
            failed(e);
        }
    }

    /** Says what it is about to do. */
    final void does(String what) {
        doing = what;
    }

    /** What it was doing has failed. */
    final void failed(Exception e) {
        tally.failed(resident, e instanceof WrongBytesException, "by the client, " + doing + ": " + e);
        // The server may just be gone; the next server takes a while to start.
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    final List<SocketAddress> addresses() {
        return addresses;
    }

    final Tally tally() {
        return tally;
    }

    static <T> T pick(SplittableRandom choice, List<T> all) {
        return all.get(choice.nextInt(all.size()));
    }

    private static void end(Wire wire, Talk talk, Ending ending) throws IOException, WrongBytesException {
        switch (ending) {
            case CLOSE -> {} // as try does
            case HALF_CLOSE -> {
                wire.shutdownOutput();
                talk.awaitEnd();
            }
            case RESET -> wire.resetOnClose();
            case SERVER_CLOSES -> talk.awaitEnd();
        }
    }
}
