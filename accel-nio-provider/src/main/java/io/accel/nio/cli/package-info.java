/**
 * The command line: what {@code java -jar accel.jar} and {@code ./accel} answer to.
 *
 * <p>One class per subcommand, each a thin layer over what the rest of Accel offers. Nothing depends on it.
 */
package io.accel.nio.cli;
