// SPDX-License-Identifier: Apache-2.0
/**
 * What a program may rely on from {@code java.nio.channels} and {@code java.net}, as tests.
 *
 * <p>The suite knows the JDK's API alone: nothing here may import a class of Accel. It runs on the JDK's own provider, which decides
 * what is right, and unchanged on Accel's over each path. A test asks {@link io.accel.nio.contract.Path} which one it is on only where
 * the JDK leaves the outcome open.
 */
package io.accel.nio.contract;
