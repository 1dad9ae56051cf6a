package io.accel.samples.perf;

/**
 * One line of the result.
 *
 * @param benchCase the case's name
 * @param path what the bytes really went over, as far as it can be seen from outside
 * @param profile Accel's profile, or {@code none} where no Accel took part
 * @param on the device, where there is one, and whether it is a real one; empty otherwise
 * @param figures medians over the rounds
 * @param latencies all times of operations, of all rounds together; empty where there are none
 * @param vsKernel how many times better than the kernel; NaN if there is nothing to compare with
 * @param vsRstream how many times better than rstream; NaN likewise
 * @param vsRaw how many times the machine's own limit; NaN likewise
 */
record Row(
        String benchCase,
        String path,
        String profile,
        String on,
        Figures figures,
        Latencies latencies,
        double vsKernel,
        double vsRstream,
        double vsRaw) {
    /** A row of this host, without a device. */
    Row(
            String benchCase,
            String path,
            String profile,
            Figures figures,
            Latencies latencies,
            double vsKernel,
            double vsRaw) {
        this(benchCase, path, profile, "", figures, latencies, vsKernel, Double.NaN, vsRaw);
    }
}
