package io.accel.samples.perf;

/**
 * What one run of a case over one path gave.
 *
 * @param latencies all times of operations; empty where the case or the program does not tell them
 * @param kernelShare which part of the bytes moved went through the kernel's read and write calls, both ends together:
 *     about 1 on kernel sockets, about 0 when they went another way; NaN if unknown
 * @param said the last lines that the client wrote for humans: an accelerated one says there why it was not
 */
record Sample(Figures figures, Latencies latencies, double kernelShare, String said) {
    /** Doorbells and hellos are some bytes too. */
    private static final double MOST = 0.5;

    /** Without the times. */
    Sample(Figures figures, double kernelShare, String said) {
        this(figures, Latencies.NONE, kernelShare, said);
    }

    /** Whether the bytes went by the kernel, though they need not have. */
    boolean wentByKernel() {
        return kernelShare > MOST;
    }
}
