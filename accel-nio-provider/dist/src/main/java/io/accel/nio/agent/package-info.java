// SPDX-License-Identifier: Apache-2.0
/**
 * The Java agent. A program needs nothing but {@code java -javaagent:accel.jar -jar app.jar}.
 *
 * <p>The agent runs before the program's first class, in any JVM. So it uses only the JDK, the profiles, {@code io.accel.core.daemon}
 * and the sockets of {@code io.accel.nio.net}: no logger is initialised early, and nothing else of Accel's core is loaded before the
 * program opens its first channel or socket. Nothing depends on this package.
 *
 * <p>The JVM calls {@code AccelAgent}. {@code JdkChange} changes classes of the JDK's, and {@code ChannelInputPatch}, {@code
 * DatagramSocketPatch} and {@code FileTransferPatch} make the changes. {@code ClassFile}, {@code ConstantPool}, {@code Prologue} and
 * {@code Opcodes} know the format of class files.
 */
package io.accel.nio.agent;
