package io.accel.core.daemon;

import java.io.IOException;

/**
 * Calls what is long and takes a system call, so that a compiler makes it once and for itself.
 *
 * <p>A compiler that inlines makes it anew as a part of each method that calls it, and of each that calls those: a second of a processor in
 * the first seconds of a JVM, which a program on few processors lacks just then. HotSpot's does not inline a call for which the profile
 * has seen more than two classes, and there are more than two at the one call here: a poller alone has three. Where the callee is a
 * constant that does not help: the caller holds it in a field of an object.
 *
 * <p>Stateless. The call costs some nanoseconds more than one that is inlined.
 */
public final class OutOfLine {
    private OutOfLine() {}

    /** What is called. */
    @FunctionalInterface
    public interface Call {
        /**
         * Does it.
         *
         * @param argument whatever the caller gave
         * @return whatever it returns
         * @throws IOException as it does
         */
        int call(long argument) throws IOException;
    }

    /**
     * Calls something.
     *
     * @param what from a field that is not static
     * @param argument handed to it
     * @return what it returns
     * @throws IOException as it does
     */
    public static int call(Call what, long argument) throws IOException {
        return what.call(argument);
    }
}
