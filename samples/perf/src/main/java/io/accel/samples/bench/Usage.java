// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

/**
 * The resources that a program has used up to a moment, or between two moments.
 *
 * @param cpuNanos CPU time of the whole process, all threads, in nanoseconds
 * @param allocatedBytes bytes allocated on the heap by the threads that do the program's work
 * @param kernelBytes bytes passed through the kernel's read and write calls by the whole process, or -1 if the system
 *     does not tell; far less than the program moved means that its bytes went another way
 */
public record Usage(long cpuNanos, long allocatedBytes, long kernelBytes) {
    Usage withKernelBytes(long otherwiseKnown) {
        return new Usage(cpuNanos, allocatedBytes, otherwiseKnown);
    }

    public Usage since(Usage earlier) {
        boolean told = kernelBytes >= 0 && earlier.kernelBytes >= 0;
        return new Usage(
                cpuNanos - earlier.cpuNanos,
                allocatedBytes - earlier.allocatedBytes,
                told ? kernelBytes - earlier.kernelBytes : -1);
    }
}
