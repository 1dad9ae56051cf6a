package io.accel.core.daemon;

import java.io.IOException;

/**
 * Calls what is long, so that a compiler makes it once and for itself: what takes a system call, what is done once in a wait, and
 * what is done once in a read or a write of Netty's.
 *
 * <p>A compiler that inlines makes it anew as a part of each method that calls it, and of each that calls those: a second of a processor in
 * the first seconds of a JVM, which a program on few processors lacks just then. HotSpot's does not inline a call for which the profile
 * has seen more than two classes, and there are more than two at the one call here: a poller alone has five. Where the compiler knows the
 * class of the callee all the same, that does not help: the caller holds it in a field of an object, and the type of that field is {@link
 * Call}. The callee is a class with all of the work in {@link Call#call} itself. A lambda has it in a method beside, and the compiler
 * makes both.
 *
 * <p>Such a callee also keeps to itself what becomes of it. Where a branch is taken for the first time that the compiler left out, it makes anew
 * all that it had made one method of.
 *
 * <p>Stateless. The call costs one or two nanoseconds more than one that is inlined.
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
