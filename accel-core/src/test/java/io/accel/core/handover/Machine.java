// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

/** A machine whose load a test says. Any thread. */
public final class Machine implements Senses {
    /** What the compilers have used, in nanoseconds. */
    public volatile long compilers;
    /** What the process has used, in nanoseconds. */
    public volatile long process;
    /** What the searching thread has used, in nanoseconds. */
    public volatile long thread;
    /** Whether more threads want to run than there are processors. */
    public volatile boolean crowded;

    @Override
    public long compilerNanos() {
        return compilers;
    }

    @Override
    public long processNanos() {
        return process;
    }

    @Override
    public long threadNanos() {
        return thread;
    }

    @Override
    public boolean isCrowded() {
        return crowded;
    }
}
