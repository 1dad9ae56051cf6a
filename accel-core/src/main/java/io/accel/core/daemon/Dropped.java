// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.util.function.Supplier;

/** Closes objects that were dropped without being closed, as the JDK does with sockets of its own. Thread-safe. */
public final class Dropped {
    private static final Warnings FAILURES = new Warnings(Log.of("io.accel"));
    private static final Cleaner CLEANER = Privileged.get(new Making());

    private Dropped() {}

    /**
     * Closes the inside of an object as soon as nobody can reach the object any more.
     *
     * @param holder the object that others have
     * @param inside the part to close; it must not lead to the holder
     * @return a handle to end this when the holder is closed; it closes the inside as well, unless that has been done
     */
    public static Cleaner.Cleanable watch(Object holder, Closeable inside) {
        return CLEANER.register(holder, new Closing(inside));
    }

    /** Makes the cleaner. Like the other actions here it is no lambda: a program's first socket would wait for that to be linked. */
    private static final class Making implements Supplier<Cleaner> {
        @Override
        public Cleaner get() {
            return Cleaner.create();
        }
    }

    /** Closes the inside of an object, and says it if that fails. */
    private record Closing(Closeable inside) implements Runnable {
        @Override
        public void run() {
            try {
                Void unused = Privileged.call(new Close(inside));
            } catch (IOException | RuntimeException | Error e) {
                FAILURES.warn("closing an object that nobody can reach any more failed", e);
            }
        }
    }

    /** The close itself, with Accel's rights. */
    private record Close(Closeable inside) implements Privileged.Action<Void> {
        @Override
        public Void run() throws IOException {
            inside.close();
            return null;
        }
    }
}
