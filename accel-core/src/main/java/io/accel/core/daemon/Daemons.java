package io.accel.core.daemon;

/**
 * Accel's own threads. They serve the whole process for as long as it lives, so they keep nothing of the program's thread that
 * happened to need them first: no context class loader, no inheritable thread locals, no thread group, no rights. Safe for
 * use by several threads.
 */
public final class Daemons {
    private static final long PAUSE_MILLIS = 100;
    private static final int NO_STACK_SIZE = 0;

    private Daemons() {}

    /**
     * Starts a daemon thread.
     *
     * @param name its name
     * @param body what it does
     * @throws OutOfMemoryError if there can be no further thread
     * @throws SecurityException if not even Accel's code may start one
     */
    public static void start(String name, Runnable body) {
        Privileged.get(() -> {
            Thread thread = thread(name, body);
            thread.setDaemon(true);
            thread.start();
            return thread;
        });
    }

    /**
     * Has something done when the process ends.
     *
     * @param name the name of the thread that does it
     * @param body what to do
     * @throws IllegalStateException if the process is about to end
     * @throws SecurityException if not even Accel's code may ask for that
     */
    public static void atExit(String name, Runnable body) {
        Privileged.get(() -> {
            Thread thread = thread(name, body);
            Runtime.getRuntime().addShutdownHook(thread);
            return thread;
        });
    }

    /** Lets a daemon breathe that met an error which it may meet again at once. */
    public static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            // Nobody has a reason to interrupt a daemon, and one that stayed interrupted could not wait for anything
            // any more.
            Log.of(Daemons.class).get().log(System.Logger.Level.DEBUG, "a daemon was interrupted", e);
        }
    }

    /** Whether the current thread is one of these. */
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
