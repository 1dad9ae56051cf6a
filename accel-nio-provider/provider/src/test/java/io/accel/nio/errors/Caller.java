// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import java.util.List;
import java.util.function.Predicate;

/** The threads that call links and fabrics, each in what it does there. */
enum Caller {
    /** A program's thread in its selector. */
    SELECT(thread -> isProgram(thread) && isIn("io.accel.nio.AccelSelector", "selectFor") && !isInClose()),
    /** A program's thread that waits in an operation, or looks whether it must. */
    WAIT(thread -> isProgram(thread) && isIn("io.accel.core.socket.BlockingWaits", "awaitOrFail", "glanceOrFail")),
    /** A program's thread in a close. */
    CLOSE(thread -> isProgram(thread) && isInClose()),
    /** A program's thread in any other operation of a channel. */
    OPERATION(thread -> isProgram(thread) && !isInSelectOrWaitOrClose(thread)),
    /** A thread of an asynchronous group, whatever it does. */
    GROUP(thread -> thread.getName().startsWith(Caller.GROUP_THREAD)),
    HANDOVER(named("accel-handover")),
    SEARCH(named("accel-search")),
    RENDEZVOUS(named("accel-rendezvous")),
    DATAGRAM_PATHS(named("accel-datagram-paths")),
    UNPARKER(named("accel-unparker"));

    /** How the names of a group's threads begin. */
    static final String GROUP_THREAD = "group of a test ";

    @SuppressWarnings("ImmutableEnumChecker") // none has a state
    private final Predicate<Thread> threads;

    Caller(Predicate<Thread> threads) {
        this.threads = threads;
    }

    /** Whether the current thread is one of these, and does that. */
    boolean isCurrent(Thread current) {
        return threads.test(current);
    }

    private static Predicate<Thread> named(String name) {
        return thread -> thread.getName().equals(name);
    }

    private static boolean isProgram(Thread thread) {
        return !thread.getName().startsWith("accel-") && !thread.getName().startsWith(GROUP_THREAD);
    }

    private static boolean isInSelectOrWaitOrClose(Thread thread) {
        return SELECT.isCurrent(thread) || WAIT.isCurrent(thread) || CLOSE.isCurrent(thread);
    }

    private static boolean isInClose() {
        return isIn("io.accel.nio.AccelSocketChannel", "implCloseSelectableChannel", "finishClose")
                || isIn("io.accel.nio.AccelDatagramChannel", "implCloseSelectableChannel");
    }

    private static boolean isIn(String type, String... methods) {
        List<String> any = List.of(methods);
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(
                        frame -> frame.getClassName().equals(type) && any.contains(frame.getMethodName())));
    }
}
