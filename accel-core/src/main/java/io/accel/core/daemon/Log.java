package io.accel.core.daemon;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.spi.SelectorProvider;
import java.util.ResourceBundle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A logger that nobody is asked for before there is something to say. Thread-safe.
 *
 * <p>A program's logging back end may open channels, and write to them, and these may be Accel's. So what a daemon has to say is said
 * by another, which nobody waits for. The same goes for what is to be said while the JVM is still making its provider of channels, and
 * while the back end is just being asked for a logger.
 */
public final class Log implements Supplier<Logger> {
    /** Whether the current thread is just asking a back end for a logger. */
    private static final ThreadLocal<Boolean> ASKING = new ThreadLocal<>();

    private static final int MOST_KEPT = 1_000;
    private static final BlockingQueue<Runnable> KEPT = new LinkedBlockingQueue<>(MOST_KEPT);
    private static final AtomicLong LEFT_OUT = new AtomicLong();
    private static final AtomicBoolean SAYING = new AtomicBoolean();

    private final String name;
    private final Logger keeper = new Keeper();
    /** Null until a back end was asked; all threads that ask get as good a one. */
    private volatile Logger logger;

    private Log(String name) {
        this.name = name;
    }

    /**
     * A logger with a name.
     *
     * @param name as {@link System#getLogger(String)} takes it
     */
    public static Log of(String name) {
        return new Log(name);
    }

    /**
     * A logger with a class's name.
     *
     * @param type whose
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
        // The JVM calls a provider's constructor from the class that provider() initialises: until then there is none.
        if (ASKING.get() != null || SelectorProvider.provider() == null) {
            return keeper;
        }
        Logger asked;
        ASKING.set(true);
        try {
            asked = System.getLogger(name);
            logger = asked;
        } finally {
            ASKING.remove();
        }
        if (!SAYING.get()) {
            sayKept(); // there could be no daemon
        }
        return asked;
    }

    private static void keep(Runnable message) {
        if (!KEPT.offer(message)) {
            LEFT_OUT.incrementAndGet();
        }
        if (SAYING.compareAndSet(false, true)) {
            try {
                Daemons.start("accel-log", Log::say);
            } catch (SecurityException | OutOfMemoryError e) {
                SAYING.set(false); // there can be no daemon now; perhaps there can be one later
            }
        }
    }

    private static void say() {
        SelectorProvider unused = SelectorProvider.provider(); // waits for the thread that is making it
        while (true) {
            try {
                KEPT.take().run();
                sayKept();
            } catch (InterruptedException e) {
                return; // nobody has a reason to
            } catch (Throwable e) {
                System.err.println("accel: logging failed: " + e);
            }
        }
    }

    private static void sayKept() {
        for (Runnable message = KEPT.poll(); message != null; message = KEPT.poll()) {
            message.run();
        }
        long leftOut = LEFT_OUT.getAndSet(0);
        if (leftOut > 0) {
            of("io.accel")
                    .direct()
                    .log(Level.WARNING, leftOut + " messages were left out: the log was too slow for them");
        }
    }

    /** Keeps what is said. */
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
