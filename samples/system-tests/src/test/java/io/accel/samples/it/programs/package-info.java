// SPDX-License-Identifier: Apache-2.0
/**
 * The programs that run in the child JVMs: plain {@code java.nio}, {@code HttpServer}, {@code HttpClient}, JDBC and
 * ZooKeeper's client, each with a {@code main}.
 *
 * <p>Depends on nothing of Accel, of the harness or of JUnit, so that they see what any program sees. They
 * speak with the test by lines: results on standard output, commands on standard input, and end when that is closed.
 */
package io.accel.samples.it.programs;
