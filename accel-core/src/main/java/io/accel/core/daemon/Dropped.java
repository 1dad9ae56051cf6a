package io.accel.core.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.Cleaner;

/** Closes what was dropped without being closed, as the JDK does with sockets of its own. Thread-safe. */
public final class Dropped {
    private static final Warnings FAILURES = new Warnings(Log.of("io.accel"));
    private static final Cleaner CLEANER = Privileged.get(Cleaner::create);

    private Dropped() {}

    /**
     * Closes what is inside of an object as soon as nobody can reach that any more.
     *
     * @param holder what others have
     * @param inside what to close; must not lead to the holder
     * @return ends this when the holder is closed; that closes the inside as well, unless this has
     */
    public static Cleaner.Cleanable watch(Object holder, Closeable inside) {
        return CLEANER.register(holder, () -> close(inside));
    }

    private static void close(Closeable inside) {
        try {
            Void unused = Privileged.call(() -> {
                inside.close();
                return null;
            });
        } catch (IOException | RuntimeException e) {
            FAILURES.warn("closing what nobody can reach any more failed", e);
        }
    }
}
