/**
 * The command line: what {@code java -jar accel.jar} and {@code ./accel} answer to.
 *
 * <p>One class per subcommand, each a thin layer over what {@code io.accel.nio.doctor}, {@code io.accel.core.observe} and the
 * profiles offer. Nothing depends on it.
 */
package io.accel.nio.cli;
