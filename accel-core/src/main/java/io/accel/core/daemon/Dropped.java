// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.Cleaner;

/** Closes objects that were dropped without being closed, as the JDK does with sockets of its own. Thread-safe. */
public final class Dropped {
    private static final Warnings FAILURES = new Warnings(Log.of("io.accel"));
    private static final Cleaner CLEANER = Privileged.get(Cleaner::create);

    private Dropped() {}

    /**
     * Closes the inside of an object as soon as nobody can reach the object any more.
     *
     * @param holder the object that others have
     * @param inside the part to close; it must not lead to the holder
     * @return a handle to end this when the holder is closed; it closes the inside as well, unless that has been done
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
        } catch (IOException | RuntimeException | Error e) {
            FAILURES.warn("closing an object that nobody can reach any more failed", e);
        }
    }
}
