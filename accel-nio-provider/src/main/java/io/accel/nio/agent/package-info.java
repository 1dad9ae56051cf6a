/**
 * The Java agent: {@code java -javaagent:accel.jar -jar app.jar} is all that a program needs.
 *
 * <p>Runs before the program's first class, in whatever JVM the program was given. So it uses the JDK, the
 * profiles, {@code io.accel.core.daemon} and the sockets of {@code io.accel.nio.net} alone: no logger is initialised early, and
 * nothing else of Accel's core is loaded before the program opens its first channel or socket. Nothing depends on it.
 *
 * <p>{@code AccelAgent} is what the JVM calls. {@code JdkChange} changes classes of the JDK's, by what {@code ChannelInputPatch} and
 * {@code FileTransferPatch} put into them; {@code ClassFile}, {@code ConstantPool}, {@code Prologue} and {@code Opcodes} know the form of class files.
 */
package io.accel.nio.agent;
