package io.accel.nio.async;

import io.accel.core.daemon.Privileged;

/**
 * What is known of a thread while it is one of a group's: which group, and how many handlers it has run since its last turn. Only the
 * thread itself uses it.
 */
final class GroupThread {
    /** How many handlers a thread runs one within another, by the property that the JDK's groups ask, too. */
    private static final int MOST_HANDLERS =
            Privileged.get(() -> Integer.getInteger("sun.nio.ch.maxCompletionHandlersOnStack", 16));

    private static final ThreadLocal<GroupThread> CURRENT = new ThreadLocal<>();

    private final ChannelGroup group;
    private int handlers;

    private GroupThread(ChannelGroup group) {
        this.group = group;
    }

    /** Runs something on the current thread as one of the group's. */
    static void run(ChannelGroup group, Runnable body) {
        GroupThread before = CURRENT.get();
        CURRENT.set(new GroupThread(group));
        try {
            body.run();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** The current thread if it is the group's, or null. */
    static GroupThread of(ChannelGroup group) {
        GroupThread current = CURRENT.get();
        return current != null && current.group == group ? current : null;
    }

    /** Nothing of the handlers that have run is on the stack any more. */
    void beginTurn() {
        handlers = 0;
    }

    /** Whether a handler may run above those that are on the stack. */
    boolean hasRoom() {
        return handlers < MOST_HANDLERS;
    }

    void call(Runnable handler) {
        handlers++;
        handler.run();
    }
}
