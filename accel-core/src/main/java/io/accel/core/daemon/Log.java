// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
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
 */
public final class Log implements Supplier<Logger> {
    /** Whether the current thread is just asking a back end for a logger. */
    private static final ThreadLocal<Boolean> ASKING = new ThreadLocal<>();

    private static final int MOST_KEPT = 1_000;
    private static final Queue<Runnable> KEPT = new ArrayBlockingQueue<>(MOST_KEPT);
    /** How long a message that can wait is kept, if no other message comes. */
    private static final long LATER_MILLIS = 1_000;
    /** The message that can wait; null if there is none. */
    private static final AtomicReference<Runnable> LATER = new AtomicReference<>();

    private static final AtomicLong LEFT_OUT = new AtomicLong();
    /** Whether there is a daemon that logs the kept messages. */
    private static final AtomicBoolean SAYING = new AtomicBoolean();
    /** Whether no back end may be asked for a logger yet. */
    private static volatile boolean starting;
    /** Whether no daemon could be started: the next message takes the kept ones along. */
    private static volatile boolean alone;

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
     * Logs a message before the next message of any logger, or in a second. A back end may take a tenth of a second
     * to start. A program's start must not wait for that, and a program that is over by then never pays for it. Of
     * several such messages the last counts.
     *
     * @param level its level
     * @param text the message
     */
    public void later(Level level, String text) {
        later(level, text, List::of);
    }

    /**
     * Logs a message in the same way with warnings behind it.
     *
     * @param level the message's level
     * @param text the message
     * @param warnings asked for when the message is logged, and logged behind it; looking for them may take its time
     */
    public void later(Level level, String text, Supplier<List<String>> warnings) {
        LATER.set(() -> {
            direct().log(level, text);
            for (String warning : warnings.get()) {
                direct().log(Level.WARNING, warning);
            }
        });
        try {
            Daemons.start("accel-log-later", Log::sayInASecond);
        } catch (SecurityException | OutOfMemoryError e) {
            return; // the kept message comes with the next one
        }
    }

    private static void sayInASecond() {
        try {
            Thread.sleep(LATER_MILLIS);
        } catch (InterruptedException e) {
            return; // nobody has a reason to interrupt it; the kept message comes with the next one
        }
        sayLater();
    }

    private static void sayLater() {
        Runnable message = LATER.getAndSet(null);
        if (message != null) {
            say(message);
        }
    }

    /**
     * Keeps messages until the JVM has its provider of channels. The code that starts Accel calls this, perhaps in
     * the provider's constructor: the JVM has none before that returns, and other threads that ask for it wait.
     */
    public static void holdUntilStarted() {
        starting = true;
        sayBehind();
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
                Daemons.start("accel-log", Log::say);
            } catch (SecurityException | OutOfMemoryError e) {
                alone = true;
                SAYING.set(false);
                starting = false;
            }
        }
    }

    private static void say() {
        do {
            if (starting) {
                awaitProvider();
                starting = false;
            }
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
