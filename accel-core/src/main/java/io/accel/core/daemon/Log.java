// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.ResourceBundle;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A logger that no back end is asked for before there is a message. Thread-safe.
 *
 * <p>A program's logging back end may open channels, and write to them, and these may be Accel's. So a daemon's
 * messages are logged by another daemon, for which nobody waits. The same goes for messages while the JVM is still
 * making its provider of channels, and while the back end is just being asked for a logger.
 */
public final class Log implements Supplier<Logger> {
    /** Whether the current thread is just asking a back end for a logger. */
    private static final ThreadLocal<Boolean> ASKING = new ThreadLocal<>();

    private static final int MOST_KEPT = 1_000;

    // Guarded by KEPT, in whose monitor nobody logs. The classes are such as every JVM has loaded, since a process that
    // starts waits for others.

    private static final Queue<Runnable> KEPT = new ArrayDeque<>();
    /** What can wait; null if there is nothing. */
    private static Consumer<Logger> later;
    /** The log that it goes to. */
    private static Log laterLog;
    /** The number of messages for which there was no room. */
    private static long leftOut;
    /** Whether there is a daemon that logs the kept messages. */
    private static boolean busy;

    /** Whether no back end may be asked for a logger yet. */
    private static volatile boolean starting;
    /** Whether no daemon could be started: the next message takes the kept ones along. */
    private static volatile boolean alone;

    private final String name;
    /** Made when it is first needed. If several threads make one, any of them will do. */
    private volatile Logger keeper;
    /** Null until a back end was asked; all threads that ask get an equivalent one. */
    private volatile Logger logger;

    private Log(String name) {
        this.name = name;
    }

    /**
     * Makes a logger with a name.
     *
     * @param name as {@link System#getLogger(String)} takes it
     */
    public static Log of(String name) {
        return new Log(name);
    }

    /**
     * Makes a logger with a class's name.
     *
     * @param type the class
     */
    public static Log of(Class<?> type) {
        return new Log(type.getName());
    }

    /** The logger to use now; for one message only. */
    @Override
    public Logger get() {
        return Daemons.isCurrent() ? keeper() : direct();
    }

    private Logger keeper() {
        Logger made = keeper;
        if (made == null) {
            made = new Keeper();
            keeper = made;
        }
        return made;
    }

    private Logger direct() {
        Logger known = logger;
        return known != null ? known : ask();
    }

    private Logger ask() {
        if (starting || ASKING.get() != null) {
            return keeper();
        }
        ASKING.set(true);
        Logger asked;
        try {
            asked = System.getLogger(name);
            logger = asked;
        } finally {
            ASKING.remove();
        }
        sayLater();
        if (alone) {
            sayKept();
        }
        return asked;
    }

    /**
     * Logs a detail, at level DEBUG, of which most programs want to hear nothing: while the process is {@linkplain DeferredStart young}, no
     * back end is asked for it.
     *
     * @param text makes the message, if it is wanted
     */
    public void detail(Supplier<String> text) {
        if (!DeferredStart.defer(new Detail(this, text))) {
            get().log(Level.DEBUG, text);
        }
    }

    /**
     * Logs something before the next message of any logger, or when the process is not {@linkplain DeferredStart young} any more. A back end
     * may take a tenth of a second to start. A program's start must not wait for that, and a program that is over by then never pays for
     * it. Of several such messages the last counts.
     *
     * @param saying makes the messages, which may take its time, and logs them by the logger that it is given
     */
    public void later(Consumer<Logger> saying) {
        synchronized (KEPT) {
            later = saying;
            laterLog = this;
        }
        if (!DeferredStart.defer(Task.SAY_LATER)) {
            try {
                Daemons.start("accel-log-later", Task.SAY_IN_A_MOMENT);
            } catch (SecurityException | OutOfMemoryError e) {
                return; // the kept message comes with the next one
            }
        }
    }

    private record Detail(Log log, Supplier<String> text) implements Runnable {
        @Override
        public void run() {
            log.get().log(Level.DEBUG, text);
        }
    }

    /** The work of daemons. A class with a name: linking a lambda takes milliseconds while a process starts. */
    private enum Task implements Runnable {
        SAY_KEPT,
        SAY_LATER,
        SAY_IN_A_MOMENT,
        AWAIT_START;

        @Override
        public void run() {
            if (this == SAY_KEPT) {
                say();
            } else if (this == AWAIT_START) {
                awaitStart();
            } else {
                if (this == SAY_IN_A_MOMENT) {
                    DeferredStart.passYouth();
                }
                sayLater();
            }
        }
    }

    private static void sayLater() {
        Consumer<Logger> saying;
        Log log;
        synchronized (KEPT) {
            saying = later;
            log = laterLog;
            later = null;
        }
        if (saying != null) {
            say(() -> saying.accept(log.direct()));
        }
    }

    /**
     * Keeps messages until the JVM has its provider of channels. The code that starts Accel calls this, perhaps in
     * the provider's constructor: the JVM has none before that returns, and other threads that ask for it wait.
     */
    public static void holdUntilStarted() {
        starting = true;
        if (!DeferredStart.begin(Task.AWAIT_START)) {
            sayBehind();
        }
    }

    private static void keep(Runnable message) {
        synchronized (KEPT) {
            if (KEPT.size() < MOST_KEPT) {
                KEPT.add(message);
            } else {
                leftOut++;
            }
        }
        sayBehind();
    }

    private static void sayBehind() {
        synchronized (KEPT) {
            if (busy) {
                return;
            }
            busy = true;
        }
        try {
            Daemons.start("accel-log", Task.SAY_KEPT);
        } catch (SecurityException | OutOfMemoryError e) {
            alone = true;
            synchronized (KEPT) {
                busy = false;
            }
            starting = false;
        }
    }

    private static void say() {
        do {
            awaitStart();
            sayKept();
        } while (goesOn());
    }

    private static boolean goesOn() {
        synchronized (KEPT) {
            busy = starting || !KEPT.isEmpty();
            return busy;
        }
    }

    /** Logs the kept messages. It stops when Accel is started, as messages are kept again then. */
    private static void sayKept() {
        Runnable message = next();
        if (message != null) {
            sayLater();
        }
        while (message != null) {
            say(message);
            message = starting ? null : next();
        }
        long missed;
        synchronized (KEPT) {
            missed = leftOut;
            leftOut = 0;
        }
        if (missed > 0) {
            String text = missed + " messages were left out: the log was too slow for them";
            say(() -> of("io.accel").direct().log(Level.WARNING, text));
        }
    }

    private static Runnable next() {
        synchronized (KEPT) {
            return KEPT.poll();
        }
    }

    private static void awaitStart() {
        if (starting) {
            awaitProvider();
            starting = false;
        }
    }

    /** Waits for the thread that is making the provider, if there is one. */
    private static void awaitProvider() {
        try {
            SelectorProvider unused = SelectorProvider.provider();
        } catch (RuntimeException | Error e) {
            return; // the program learns of that when it asks
        }
    }

    private static void say(Runnable message) {
        try {
            message.run();
        } catch (Throwable e) {
            printFailure("", e);
        }
    }

    /** Throws nothing: this thread has other messages to log. */
    private static void printFailure(String lost, Throwable why) {
        try {
            System.err.println("accel: " + lost + "logging failed: " + why);
        } catch (Throwable e) {
            return; // there is no memory, or no stack, for a word
        }
    }

    /** What is said of a message whose back end lacks a resource, such as descriptors: a warning may be about just that. */
    private static String lost(Level level, String text, Throwable thrown) {
        if (level.getSeverity() < Level.WARNING.getSeverity()) {
            return "";
        }
        return (thrown == null ? text : text + ": " + thrown) + ", and ";
    }

    /** Keeps messages. */
    private final class Keeper implements Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            Logger known = logger;
            return known == null || known.isLoggable(level);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {
            keep(() -> {
                try {
                    direct().log(level, bundle, text, thrown);
                } catch (Throwable e) {
                    printFailure(lost(level, text, thrown), e);
                }
            });
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            keep(() -> direct().log(level, bundle, format, values));
        }
    }
}
