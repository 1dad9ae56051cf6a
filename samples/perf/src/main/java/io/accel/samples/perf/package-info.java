// SPDX-License-Identifier: Apache-2.0
/**
 * {@code perf compare} and {@code demo}: runs the bench programs side by side over each path, each end in a JVM of its
 * own, and prints the results as a table, as JSON and in a sentence.
 *
 * <p>From the outside in: the commands; {@code Comparison}, which goes through rounds, cases and paths; {@code
 * BenchSession}, both ends of one case over one path; {@code BenchProcess}, one JVM. Results go the other way: {@code Sample}
 * (one measurement), {@code Row} (all rounds of a case and path) and the printers. Judgements are in classes of their own:
 * {@code WarmUp}, {@code Bimodal}, {@code Verdict}. The package knows the bench programs by
 * name only and Accel not at all: acceleration is a class path entry and two properties. It depends on picocli.
 */
package io.accel.samples.perf;
