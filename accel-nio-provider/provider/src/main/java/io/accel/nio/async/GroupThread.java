// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import io.accel.core.daemon.Privileged;

/**
 * The state of a thread while it works for a group: the group, and the number of handlers that it has run since its last turn. Only
 * the thread itself uses it.
 */
final class GroupThread {
    /** The number of handlers that a thread may run one within another, from the property that the JDK's groups read, too. */
    private static final int MOST_HANDLERS =
            Privileged.get(() -> Integer.getInteger("sun.nio.ch.maxCompletionHandlersOnStack", 16));

    private static final ThreadLocal<GroupThread> CURRENT = new ThreadLocal<>();

    private final ChannelGroup group;
    private int handlers;

    private GroupThread(ChannelGroup group) {
        this.group = group;
    }

    /** Runs the body on the current thread as one of the group's. */
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

    /** Returns the current thread's state if it is one of the group's, or null. */
    static GroupThread of(ChannelGroup group) {
        GroupThread current = CURRENT.get();
        return current != null && current.group == group ? current : null;
    }

    /** Called when no handler is on the stack any more. */
    void beginTurn() {
        handlers = 0;
    }

    /** Whether another handler may run above the handlers on the stack. */
    boolean hasRoom() {
        return handlers < MOST_HANDLERS;
    }

    void call(Runnable handler) {
        handlers++;
        handler.run();
    }
}
