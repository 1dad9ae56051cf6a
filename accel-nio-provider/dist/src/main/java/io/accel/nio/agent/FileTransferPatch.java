// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static io.accel.nio.agent.Opcodes.ALOAD_0;
import static io.accel.nio.agent.Opcodes.CHECKCAST;
import static io.accel.nio.agent.Opcodes.DUP;
import static io.accel.nio.agent.Opcodes.ICONST_0;
import static io.accel.nio.agent.Opcodes.ICONST_1;
import static io.accel.nio.agent.Opcodes.ICONST_2;
import static io.accel.nio.agent.Opcodes.IFEQ;
import static io.accel.nio.agent.Opcodes.INSTANCEOF;
import static io.accel.nio.agent.Opcodes.INVOKEINTERFACE;
import static io.accel.nio.agent.Opcodes.INVOKEVIRTUAL;
import static io.accel.nio.agent.Opcodes.LASTORE;
import static io.accel.nio.agent.Opcodes.LLOAD_1;
import static io.accel.nio.agent.Opcodes.LLOAD_3;
import static io.accel.nio.agent.Opcodes.LRETURN;
import static io.accel.nio.agent.Opcodes.NEWARRAY;
import static io.accel.nio.agent.Opcodes.T_LONG;

import java.nio.BufferUnderflowException;
import java.util.Map;

/**
 * The change of {@code sun.nio.ch.FileChannelImpl}, whose {@code transferTo} uses {@code sendfile} for the JDK's own channels, and
 * pieces of 8 KiB for all others. After the change it begins with
 *
 * <pre>{@code
 * if (target instanceof SocketChannel sc
 *         && sc.provider().getClass() == SelectorProvider.provider().getClass()
 *         && sc.socket() instanceof ToLongBiFunction own) {
 *     return own.applyAsLong(this, new long[] {position, count});
 * }
 * }</pre>
 *
 * <p>The reason: the classes of {@code java.base} cannot name Accel's, but they can name the default provider, which is Accel's under
 * the agent, and a function. The channel itself is none, so that the function stays out of its public type.
 */
final class FileTransferPatch {
    private static final String CHANNEL = "java/nio/channels/FileChannel";
    private static final String TRANSFER = "transferTo(JJLjava/nio/channels/WritableByteChannel;)J";
    private static final String FUNCTION = "java/util/function/ToLongBiFunction";
    /** The local variable of the target; a long takes two. */
    private static final int TARGET = 5;

    private FileTransferPatch() {}

    /**
     * Changes the class.
     *
     * @param original the original class file
     * @return the changed class file
     * @throws IllegalArgumentException if the class differs from the class in the known JDKs; the message says how
     */
    static byte[] apply(byte[] original) {
        try {
            ClassFile file = new ClassFile(original);
            if (!file.superName().equals(CHANNEL)) {
                throw new IllegalArgumentException("it is no FileChannel of its own");
            }
            return file.with(Map.of(TRANSFER, transfer(file.constants())));
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("it ends too early", e);
        }
    }

    private static Prologue transfer(ConstantPool constants) {
        AccelChannel target = AccelChannel.inVariable(constants, TARGET);
        int socket = target.method("socket", "()Ljava/net/Socket;");
        int function = constants.addClass(FUNCTION);
        int others = 71;
        Prologue code = target.load(target.unless(others))
                .addWith(INVOKEVIRTUAL, socket)
                .addWith(INSTANCEOF, function)
                .addJump(IFEQ, others);
        return target.load(code)
                .addWith(INVOKEVIRTUAL, socket)
                .addWith(CHECKCAST, function)
                .add(ALOAD_0, ICONST_2, NEWARRAY, T_LONG)
                .add(DUP, ICONST_0, LLOAD_1, LASTORE) // the position
                .add(DUP, ICONST_1, LLOAD_3, LASTORE) // the count
                .addWith(
                        INVOKEINTERFACE,
                        constants.addInterfaceMethod(
                                FUNCTION, "applyAsLong", "(Ljava/lang/Object;Ljava/lang/Object;)J"))
                .add(3, 0) // the words of arguments, and a zero
                .add(LRETURN)
                .mark(others);
    }
}
