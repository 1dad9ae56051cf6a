// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Accel's own threads. They serve the whole process for as long as it lives. So they keep nothing of the program's
 * thread that happened to need them first: no context class loader, no inheritable thread locals, no thread group, no
 * rights. Safe for use by several threads.
 */
public final class Daemons {
    private static final long PAUSE_MILLIS = 100;
    private static final int NO_STACK_SIZE = 0;
    private static final long FOR_EVER = -1;
    /** How long a daemon rests at a time while the process ends. */
    private static final long REST_NANOS = 1_000_000L;

    /** What the first daemon of a process need not wait for. */
    private static final class Rarer {
        /** The actions that wake daemons from their sleep in the kernel. */
        static final Queue<Runnable> WAKES = new ConcurrentLinkedQueue<>();

        static final Warnings INTERRUPTED = new Warnings(Log.of(Daemons.class));

        private Rarer() {}
    }

    private static boolean watchesEnd; // guarded by the class
    /** Written once, by the thread that wakes the daemons. */
    private static volatile boolean ending;

    private Daemons() {}

    /**
     * Starts a daemon thread.
     *
     * @param name its name
     * @param body the work of the thread
     * @throws OutOfMemoryError if there can be no further thread
     * @throws SecurityException if not even Accel's code may start one
     */
    public static void start(String name, Runnable body) {
        Privileged.get(new Making(name, body)).start();
    }

    /**
     * Makes a daemon thread, for a pool that starts it.
     *
     * @param name its name
     * @param body the work of the thread
     * @return the thread
     * @throws SecurityException if not even Accel's code may make one
     */
    public static Thread unstarted(String name, Runnable body) {
        return Privileged.get(new Making(name, body));
    }

    /** Makes a daemon. A class with a name: linking a lambda takes milliseconds while a process starts. */
    private record Making(String name, Runnable body) implements Supplier<Thread> {
        @Override
        public Thread get() {
            Thread thread = thread(name, body);
            thread.setDaemon(true);
            return thread;
        }
    }

    /**
     * Starts a daemon thread that sleeps in the kernel. The JVM waits 0.3 s for such threads when it ends. So they
     * are woken before it does, and then go on with their work, as long as there are connections, without {@linkplain
     * #sleep such sleeps}.
     *
     * @param name its name
     * @param body the work of the thread
     * @param wake ends its sleep, or the next one; called once, by another thread
     * @throws OutOfMemoryError if there can be no further thread
     * @throws SecurityException if not even Accel's code may start one
     */
    public static void start(String name, Runnable body, Runnable wake) {
        watchEnd();
        start(name, body);
        Rarer.WAKES.add(wake);
        if (ending) {
            wake.run();
        }
    }

    /** Whether the process is about to end. */
    static boolean isEnding() {
        watchEnd();
        return ending;
    }

    private static synchronized void watchEnd() {
        if (!watchesEnd) {
            watchesEnd = true;
            try {
                atExit("accel-end", new Ending());
            } catch (IllegalStateException e) {
                ending = true;
            }
        }
    }

    private static void end() {
        ending = true;
        Rarer.WAKES.forEach(Runnable::run);
    }

    /**
     * Returns how long a daemon may sleep in the kernel; if it may not, this rests instead. An interrupt, which a
     * program may send to all threads that it finds, is forgotten: nobody has a reason to interrupt a daemon, and an
     * interrupted daemon could not sleep.
     *
     * @param nanos how long the daemon would sleep; negative for no limit
     * @return that time; 0 when the process is about to end
     */
    public static long sleep(long nanos) {
        boolean unused = Thread.interrupted();
        if (ending) {
            LockSupport.parkNanos(REST_NANOS);
            return 0;
        }
        return nanos;
    }

    /**
     * As {@link Selector#select(Consumer, long)}, and without its sleep when the process is about to end.
     *
     * @param selector the daemon's selector
     * @param action the work for ready keys
     * @param millis how long to wait at most; 0 for no limit
     * @throws IOException if the selector's operation fails
     */
    public static void select(Selector selector, Consumer<SelectionKey> action, long millis) throws IOException {
        if (sleep(FOR_EVER) == FOR_EVER) {
            selector.select(action, millis);
        } else {
            selector.selectNow(action);
        }
    }

    /**
     * Runs an action when the process ends.
     *
     * @param name the name of the thread that runs it
     * @param body the action
     * @throws IllegalStateException if the process is about to end
     * @throws SecurityException if not even Accel's code may do this
     */
    public static void atExit(String name, Runnable body) {
        Thread unused = Privileged.get(new Hooking(name, body));
    }

    // Classes with names: linking a lambda takes milliseconds while a process starts.

    private static final class Ending implements Runnable {
        @Override
        public void run() {
            end();
        }
    }

    private record Hooking(String name, Runnable body) implements Supplier<Thread> {
        @Override
        public Thread get() {
            Thread thread = thread(name, body);
            Runtime.getRuntime().addShutdownHook(thread);
            return thread;
        }
    }

    /** A part of a daemon's turn. */
    @FunctionalInterface
    public interface Part {
        /** Does what is to be done now. */
        void run() throws IOException;
    }

    /**
     * Runs the turns of a daemon for as long as the JVM lives. An error ends the part that met it, and neither the other parts of the turn
     * nor the thread. The next turn begins after a pause then, so that the same error does not keep the thread busy. A part that serves
     * several connections catches what one of them causes, so that the others are served.
     *
     * @param errors the warnings of such errors
     * @param message what has met an error
     * @param parts the parts of a turn, in their order
     */
    public static void turns(Warnings errors, String message, Part... parts) {
        while (true) {
            boolean failed = false;
            for (int i = 0; i < parts.length; i++) { // makes no object: memory may have run out
                try {
                    parts[i].run();
                } catch (Throwable e) {
                    failed = true;
                    errors.warn(message, e);
                }
            }
            if (failed) {
                pause();
            }
        }
    }

    /**
     * Runs the tasks that others have left for a daemon. One that meets an error is given up with a warning, and the others are run. One
     * for which memory or stack has run out is run again in the next turn.
     *
     * @param tasks the tasks, which only the daemon takes out
     * @param errors the warnings of such errors
     * @param message what has met an error
     */
    public static void runTasks(Queue<Runnable> tasks, Warnings errors, String message) {
        for (int left = tasks.size(); left > 0; left--) {
            Runnable task = tasks.peek();
            if (task == null) {
                return;
            }
            try {
                task.run();
            } catch (OutOfMemoryError | StackOverflowError e) {
                errors.warn(message, e);
                tasks.add(task); // behind the others; if that fails, too, it stays where it is
            } catch (Throwable e) {
                errors.warn(message, e);
            }
            Runnable unused = tasks.poll();
        }
    }

    /** Pauses a daemon that met an error which it may meet again at once. */
    public static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            // Nobody has a reason to interrupt a daemon, and an interrupted daemon could not wait for anything any
            // more.
            Rarer.INTERRUPTED.warn("a daemon was interrupted", e);
        } catch (Throwable e) {
            return; // for want of memory or stack: the pause is no reason to end
        }
    }

    /** Whether the current thread is a daemon of Accel's. */
    static boolean isCurrent() {
        return Thread.currentThread() instanceof Daemon;
    }

    private static final class Daemon extends Thread {
        Daemon(Runnable body, String name) {
            super(topGroup(), body, name, NO_STACK_SIZE, false);
        }
    }

    private static Thread thread(String name, Runnable body) {
        Thread thread = new Daemon(body, name);
        thread.setContextClassLoader(null);
        return thread;
    }

    private static ThreadGroup topGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        for (ThreadGroup parent = group.getParent(); parent != null; parent = parent.getParent()) {
            group = parent;
        }
        return group;
    }
}
