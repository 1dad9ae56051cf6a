// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

/** What the machine knows of the load of this process and its processors. Thread-safe; a reading takes some microseconds. */
public interface Senses {
    /** The processor time that the JVM's compilers have used so far, in nanoseconds; 0 if unknown. */
    long compilerNanos();

    /** The processor time that this process has used so far, in nanoseconds; 0 if unknown. */
    long processNanos();

    /** The processor time that the calling thread has used so far, in nanoseconds; 0 if unknown. */
    long threadNanos();

    /** Whether more threads want to run now than there are processors for them. */
    boolean isCrowded();
}
