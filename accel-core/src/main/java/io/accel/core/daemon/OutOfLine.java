// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.io.IOException;

/**
 * Calls long code in such a way that a compiler compiles it once, on its own: code that makes a system call, that
 * runs once in a wait, or that runs once in a read or a write of Netty's.
 *
 * <p>A compiler that inlines long code compiles it anew as a part of each method that calls it, and of each that
 * calls those. That takes a second of a processor in the first seconds of a JVM, which a program on few processors
 * lacks just then. HotSpot's compiler does not inline a call for which the profile has seen more than two classes,
 * and the one call here sees more: a poller that only sleeps has three, and one that looks five. Even where the
 * compiler knows the class of the callee, it does not help it: the caller holds the callee in a field of an object, and
 * the type of that field is {@link Call}.
 * The callee is a class with all of the work in {@link Call#call} itself. A lambda would have it in a method beside,
 * and the compiler would compile both.
 *
 * <p>Such a callee also keeps its recompilations to itself. When a branch that the compiler left out is taken for the
 * first time, it compiles anew all the code that it had put into one method.
 *
 * <p>Stateless. The call costs one or two nanoseconds more than one that is inlined.
 */
public final class OutOfLine {
    private OutOfLine() {}

    /** The code to call. */
    @FunctionalInterface
    public interface Call {
        /**
         * Does the work.
         *
         * @param argument the argument that the caller gave
         * @return any result
         * @throws IOException if the work does
         */
        int call(long argument) throws IOException;
    }

    /**
     * Calls the code.
     *
     * @param what the code, from a field that is not static
     * @param argument handed to it
     * @return its result
     * @throws IOException if the code does
     */
    public static int call(Call what, long argument) throws IOException {
        return what.call(argument);
    }
}
