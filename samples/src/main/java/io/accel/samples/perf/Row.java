package io.accel.samples.perf;

/**
 * One line of the result.
 *
 * @param benchCase the case's name
 * @param path what the bytes really went over, as far as it can be seen from outside
 * @param profile Accel's profile, or {@code none} where no Accel took part
 * @param figures medians over the rounds
 * @param vsKernel how many times better than the kernel; NaN if there is nothing to compare with
 * @param vsRaw how many times the machine's own limit; NaN likewise
 */
record Row(String benchCase, String path, String profile, Figures figures, double vsKernel, double vsRaw) {}
