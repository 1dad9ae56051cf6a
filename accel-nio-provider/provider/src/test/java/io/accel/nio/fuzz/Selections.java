// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Selectors and their keys. */
final class Selections {
    private static final String NO_KEY = "no key";
    private static final int TIMEOUT_MILLIS = 5;
    private static final long STABLE_NANOS = 3_000_000L;
    private static final long PAUSE_NANOS = 300_000L;

    /** How long a selection waits that an event has to end. */
    private static final int WAIT_MILLIS = 1_000;

    private Selections() {}

    /** A selection that has begun to wait, if it does. */
    static Task begin(World world, Selector from) throws Exception {
        Task task = world.start("select", () -> {
            int n = from.select(WAIT_MILLIS);
            return n + (Thread.interrupted() ? " interrupted" : "");
        });
        task.awaitWaiting();
        return task;
    }

    /** The outcome of a selection. */
    static String outcome(World world, Selector from, Task begun) throws Exception {
        String outcome = begun.outcome(world);
        try {
            return outcome + " " + World.ready(from) + (from.isOpen() ? ", open" : ", closed");
        } catch (ClosedSelectorException e) {
            return outcome + " " + world.thrown(e);
        }
    }

    /** Registers a channel, or sets the interest of its key. */
    record Register(int selectable, int selector, int ops) implements Step {
        @Override
        public String run(World world) throws Exception {
            SelectableChannel channel = world.selectable(selectable);
            if (channel == null) {
                return "no channel";
            }
            forget(channel.keyFor(world.selector(selector)), ops);
            SelectionKey key = channel.register(world.selector(selector), ops, World.name(selectable));
            return key.channel() == channel && key.selector() == world.selector(selector)
                    ? "interest " + World.ops(key.interestOps())
                    : "ANOTHER'S KEY";
        }
    }

    /**
     * Selects a key anew that is about to lose interest in what it was selected for: the JDK's key forgets that if the connection
     * is reset, and only then. See docs/LIMITS.md.
     */
    private static void forget(SelectionKey key, int ops) {
        if (key != null
                && key.isValid()
                && key.selector().isOpen()
                && (key.interestOps() & ~ops) != 0
                && (key.readyOps() & ~ops) != 0) {
            key.selector().selectedKeys().remove(key);
        }
    }

    /** Operations on a key. */
    enum KeyAction {
        CANCEL,
        ASK
    }

    /** Does something to a channel's key. */
    record Key(int selectable, int selector, KeyAction action) implements Step {
        @Override
        public String run(World world) throws Exception {
            SelectableChannel channel = world.selectable(selectable);
            SelectionKey key = channel == null ? null : channel.keyFor(world.selector(selector));
            if (key == null) {
                return NO_KEY + (channel == null || !channel.isRegistered() ? "" : ", registered elsewhere");
            }
            if (action == KeyAction.CANCEL) {
                key.cancel();
            }
            return (key.isValid() ? "valid " + World.ops(key.interestOps()) : "invalid")
                    + (channel.isRegistered() ? ", registered" : ", not registered");
        }
    }

    /** Sets the interest of a channel's key. */
    record Interest(int selectable, int selector, int ops) implements Step {
        @Override
        public String run(World world) throws Exception {
            SelectableChannel channel = world.selectable(selectable);
            SelectionKey key = channel == null ? null : channel.keyFor(world.selector(selector));
            if (key == null) {
                return NO_KEY;
            }
            forget(key, ops);
            key.interestOps(ops);
            return "interest " + World.ops(key.interestOps());
        }
    }

    /** Selects until the selected keys have been the same for a while, and tells which these are. */
    record Look(int selector, boolean clear) implements Step {
        @Override
        public String run(World world) throws Exception {
            return look(world.selector(selector), clear);
        }
    }

    static String look(Selector from, boolean clear) throws Exception {
        if (clear) {
            from.selectedKeys().clear();
        }
        long start = System.nanoTime();
        long since = start;
        String last = "";
        while (System.nanoTime() - since < STABLE_NANOS && !World.isOver(start)) {
            int unused = from.selectNow();
            String now = World.ready(from);
            if (!now.equals(last)) {
                last = now;
                since = System.nanoTime();
            }
            World.pause(PAUSE_NANOS);
        }
        return last + " of " + from.keys().size();
    }

    /**
     * Whether a selection may return at once, with nothing: the JDK's do so as long as a connected channel whose key is still interested in
     * its connect could be written to. See docs/LIMITS.md.
     */
    static boolean mayReturnWithNothing(Selector from) {
        return from.keys().stream()
                .anyMatch(key -> key.isValid()
                        && (key.interestOps() & SelectionKey.OP_CONNECT) != 0
                        && key.channel() instanceof SocketChannel channel
                        && channel.isConnected());
    }

    /**
     * Makes the selectors let go of a channel that may be closed next, if it is in blocking mode and its keys were cancelled
     * since they last selected: the JDK's channel would tell its peer nothing before they select again. See docs/LIMITS.md.
     */
    static void letGo(World world, SelectableChannel closing) throws Exception {
        if (closing == null || !closing.isOpen() || !closing.isBlocking() || !closing.isRegistered()) {
            return;
        }
        for (int i = 0; i < World.SELECTORS; i++) {
            if (world.selector(i).isOpen() && closing.keyFor(world.selector(i)) != null) {
                String unused = look(world.selector(i), false);
            }
        }
    }

    /** How to select. */
    enum How {
        NOW,
        TIMEOUT,
        WOKEN,
        ACTION,
        ACTION_TIMEOUT
    }

    /**
     * Selects once, when all is quiet, and tells how many keys that has found. A selection that may wait need not find everything, and is
     * followed by one that does: see docs/LIMITS.md.
     */
    record Select(int selector, How how, boolean clear) implements Step {
        @Override
        public String run(World world) throws Exception {
            Selector from = world.selector(selector);
            if (clear) {
                from.selectedKeys().clear();
            }
            World.rest();
            Map<String, String> found = new TreeMap<>();
            long start = System.nanoTime();
            int n =
                    switch (how) {
                        case NOW -> from.selectNow();
                        case TIMEOUT -> from.select(TIMEOUT_MILLIS);
                        case WOKEN -> from.wakeup().select();
                        case ACTION -> from.selectNow(key -> note(found, key));
                        case ACTION_TIMEOUT -> from.select(key -> note(found, key), TIMEOUT_MILLIS);
                    };
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            boolean waited = how == How.TIMEOUT || how == How.ACTION_TIMEOUT;
            boolean isEarly = waited && n == 0 && took < TIMEOUT_MILLIS - 1 && !mayReturnWithNothing(from);
            String number = String.valueOf(n);
            if (n > 0 && (waited || how == How.WOKEN)) {
                number = "some";
                int unused = how == How.ACTION_TIMEOUT ? from.selectNow(key -> note(found, key)) : from.selectNow();
            }
            return number + " " + found + World.ready(from) + (isEarly ? " AFTER ONLY " + took + " ms" : "");
        }

        private static void note(Map<String, String> found, SelectionKey key) {
            found.put(String.valueOf(key.attachment()), World.ops(key.readyOps()));
        }
    }

    /** Closes a selector. */
    record CloseSelector(int selector) implements Step {
        @Override
        public String run(World world) throws Exception {
            world.selector(selector).close();
            return "done";
        }
    }
}
