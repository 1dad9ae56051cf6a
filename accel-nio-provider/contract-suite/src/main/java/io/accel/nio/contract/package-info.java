// SPDX-License-Identifier: Apache-2.0
/**
 * The behaviour of {@code java.nio.channels} and {@code java.net} that a program may rely on, as tests.
 *
 * <p>The suite knows the JDK's API alone: nothing here may import a class of Accel, except for two classes: one that says which
 * channels are the JDK's own, and one that puts Accel under {@code java.net}'s sockets as its agent does. It runs on the JDK's
 * own provider, which decides what is right, and unchanged on Accel's over each path. A test asks {@link
 * io.accel.nio.contract.Path} for its path only where the JDK leaves the outcome open.
 *
 * <p>This package has the code that the tests share. The tests are in the packages below; each package has a tag of its name. {@code
 * io.accel.suite} runs them, on one path or another.
 */
package io.accel.nio.contract;
