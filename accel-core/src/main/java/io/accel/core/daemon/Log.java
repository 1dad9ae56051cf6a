// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.spi.SelectorProvider;
import java.util.Queue;
import java.util.ResourceBundle;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * A logger that no back end is asked for before there is a message. Thread-safe.
 *
 * <p>A program's logging back end may open channels, and write to them, and these may be Accel's. So a daemon's
 * messages are logged by another daemon, for which nobody waits. The same goes for messages while the JVM is still
 * making its provider of channels, and while the back end is just being asked for a logger.
 *
 * <p>A back end takes a tenth of a second to start. So the {@linkplain #detail details} of which most programs want to hear nothing ask
 * for none: they wait until a message has done so, or the {@linkplain #later message that can wait}.
 */
public final class Log implements Supplier<Logger> {
    /** Whether the current thread is just asking a back end for a logger. */
    private static final ThreadLocal<Boolean> ASKING = new ThreadLocal<>();

    private static final int MOST_KEPT = 1_000;
    private static final Queue<Runnable> KEPT = new ArrayBlockingQueue<>(MOST_KEPT);
    /** The message that can wait; null if there is none. */
    private static final AtomicReference<Runnable> LATER = new AtomicReference<>();

    private static final AtomicLong LEFT_OUT = new AtomicLong();
    /** The most kept messages beside which a detail is kept, so that there is room for others. */
    private static final int MOST_DETAILS = MOST_KEPT / 2;

    private static final AtomicLong DETAILS_LEFT_OUT = new AtomicLong();
    /** Whether there is a daemon that logs the kept messages. */
    private static final AtomicBoolean SAYING = new AtomicBoolean();
    /** Whether no back end may be asked for a logger yet. */
    private static volatile boolean starting;
    /** Whether no daemon could be started: the next message takes the kept ones along. */
    private static volatile boolean alone;
    /** Whether a back end was asked for a logger. Set once. */
    private static volatile boolean asked;

    private final String name;
    private final Logger keeper = new Keeper();
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
        return Daemons.isCurrent() ? keeper : direct();
    }

    private Logger direct() {
        Logger known = logger;
        return known != null ? known : ask();
    }

    private Logger ask() {
        if (starting || ASKING.get() != null) {
            return keeper;
        }
        ASKING.set(true);
        Logger found;
        boolean first = !asked;
        try {
            found = System.getLogger(name);
            logger = found;
            asked = true;
        } finally {
            ASKING.remove();
        }
        sayLater();
        if (alone || first) { // the first takes the details along
            sayKept();
        }
        return found;
    }

    /**
     * Logs a detail, at level DEBUG. It is kept as long as no back end was asked for a logger.
     *
     * @param text makes the message, if it is wanted
     */
    public void detail(Supplier<String> text) {
        if (asked) {
            get().log(Level.DEBUG, text);
        } else if (KEPT.size() >= MOST_DETAILS || !KEPT.offer(new Detail(this, text))) {
            DETAILS_LEFT_OUT.incrementAndGet();
        } else if (asked) {
            sayBehind(); // whoever has just asked may not have seen it
        }
    }

    private record Detail(Log log, Supplier<String> text) implements Runnable {
        @Override
        public void run() {
            log.direct().log(Level.DEBUG, text);
        }
    }

    /** What is to be logged {@linkplain #later later}. */
    @FunctionalInterface
    public interface Saying {
        /**
         * Logs it.
         *
         * @param logger the logger
         */
        void say(Logger logger);
    }

    /**
     * Logs something before the next message of any logger, or in a second. A program's start must not wait for a back end, and a program
     * that is over by then never pays for one. Of several such messages the last counts.
     *
     * @param saying makes the messages, which may take its time, and logs them
     */
    public void later(Saying saying) {
        LATER.set(new Later(this, saying));
        DeferredStart.defer(new SayLater());
    }

    private record Later(Log log, Saying saying) implements Runnable {
        @Override
        public void run() {
            saying.say(log.direct());
        }
    }

    private static final class SayLater implements Runnable {
        @Override
        public void run() {
            awaitStart();
            sayLater();
        }
    }

    private static void sayLater() {
        Runnable message = LATER.getAndSet(null);
        if (message != null) {
            say(message);
        }
    }

    /**
     * Keeps messages until the JVM has its provider of channels. The code that starts Accel calls this, perhaps in
     * the provider's constructor: the JVM has none before that returns, and other threads that ask for it wait. So the
     * first message is logged by a daemon, which waits for the provider.
     */
    public static void holdUntilStarted() {
        starting = true;
    }

    private static void keep(Runnable message) {
        if (!KEPT.offer(message)) {
            LEFT_OUT.incrementAndGet();
        }
        sayBehind();
    }

    private static void sayBehind() {
        if (SAYING.compareAndSet(false, true)) {
            try {
                Daemons.start("accel-log", new Sayer());
            } catch (SecurityException | OutOfMemoryError e) {
                alone = true;
                SAYING.set(false);
                starting = false;
            }
        }
    }

    /** Logs the kept messages. A class with a name: linking a lambda takes milliseconds while a process starts. */
    private static final class Sayer implements Runnable {
        @Override
        public void run() {
            say();
        }
    }

    private static void say() {
        do {
            awaitStart();
            sayKept();
            SAYING.set(false);
        } while ((starting || !KEPT.isEmpty()) && SAYING.compareAndSet(false, true));
    }

    /** Logs the kept messages. It stops when Accel is started, as messages are kept again then. */
    private static void sayKept() {
        if (!KEPT.isEmpty()) {
            sayLater();
        }
        for (Runnable message = KEPT.poll(); message != null; message = starting ? null : KEPT.poll()) {
            say(message);
        }
        long leftOut = LEFT_OUT.getAndSet(0);
        if (leftOut > 0) {
            String text = leftOut + " messages were left out: the log was too slow for them";
            say(() -> of("io.accel").direct().log(Level.WARNING, text));
        }
        long details = DETAILS_LEFT_OUT.getAndSet(0);
        if (details > 0) {
            String text = details + " details were left out, since nobody had asked for a log yet";
            say(() -> of("io.accel").direct().log(Level.DEBUG, text));
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
            System.err.println("accel: logging failed: " + e);
        }
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
            keep(() -> direct().log(level, bundle, text, thrown));
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            keep(() -> direct().log(level, bundle, format, values));
        }
    }
}
