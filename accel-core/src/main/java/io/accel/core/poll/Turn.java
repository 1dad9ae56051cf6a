// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.jdk.VirtualThreads;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The part of a poller that more than one thread touches: the owner of its <em>turn</em>, the commands that others
 * have left for the owner, and whether it sleeps.
 *
 * <p><b>Falling asleep</b> is a Dekker handshake: the turn's owner sets {@code asleep} and looks at the command stack
 * and the wake-up flag; a thread that leaves word pushes, or sets the flag, and looks at {@code asleep}. All of these
 * are volatile accesses. <b>Leaving the turn</b> is another one: the owner frees the turn and looks at the stack; a
 * thread that pushes tries to take the turn.
 */
final class Turn {
    // Atomics and not VarHandles: every program with a selector comes here, and the first uses of a VarHandle make a
    // young JVM spin classes.

    /** 1 while a thread has the turn. Written by the thread that takes it, and by its owner. */
    private final AtomicInteger taken = new AtomicInteger();

    /** Treiber stack, pushed by any thread, taken whole by the turn's owner. */
    private final AtomicReference<Registration> commands = new AtomicReference<>();

    /** Whether the turn's owner sleeps, or is about to sleep, in the JDK's select. Written by the turn's owner. */
    private volatile boolean asleep;

    /** Set by any thread, cleared by the turn's owner. */
    private volatile boolean wakeup;

    // ---- the turn

    /** Takes the turn. No thread waits long for it: a closing thread runs commands, which takes microseconds. */
    void take() {
        while (!tryTake()) {
            if (!VirtualThreads.parkBriefly()) {
                Thread.yield();
            }
        }
    }

    boolean tryTake() {
        return taken.compareAndSet(0, 1);
    }

    /**
     * Frees the turn. Call {@link #hasCommands} afterwards: a thread that pushed a command meanwhile found the turn
     * taken, and left it to the owner.
     */
    void free() {
        taken.set(0);
    }

    // ---- commands

    /** Leaves word of a registration. Any thread. */
    void push(Registration registration) {
        Registration top;
        do {
            top = commands.get();
            registration.next = top;
        } while (!commands.compareAndSet(top, registration));
    }

    boolean hasCommands() {
        return commands.get() != null;
    }

    /** Takes all pushed registrations, the last one first; null for none. By the turn's owner. */
    Registration takeCommands() {
        return commands.getAndSet(null);
    }

    /** Puts registrations back that were taken and whose commands nobody has carried out. By the turn's owner. */
    void putBack(Registration taken) {
        Registration each = taken;
        while (each != null) {
            Registration following = each.next;
            push(each);
            each = following;
        }
    }

    // ---- waking and sleeping

    /**
     * Asks the poll under way to end, or the next one. Any thread may call it, and looks at {@link #isAsleep}
     * afterwards.
     */
    void askToEnd() {
        wakeup = true;
    }

    boolean isAskedToEnd() {
        return wakeup;
    }

    /** Notes that the poll ends as it was asked to. By the turn's owner. */
    void ends() {
        if (wakeup) {
            wakeup = false;
        }
    }

    /**
     * The turn's owner is about to sleep. Returns whether it may, because nobody has left word. {@link #awake} follows
     * in any case.
     */
    boolean fallAsleep() {
        asleep = true;
        return commands.get() == null && !wakeup;
    }

    /** The turn's owner has stopped sleeping. */
    void awake() {
        asleep = false;
    }

    /** Whether the caller must wake the JDK's selector for the owner to find its word. Any thread. */
    boolean isAsleep() {
        return asleep;
    }
}
