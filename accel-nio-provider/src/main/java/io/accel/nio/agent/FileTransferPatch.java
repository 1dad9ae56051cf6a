package io.accel.nio.agent;

import static io.accel.nio.agent.Opcodes.ALOAD;
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

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.util.Map;

/**
 * The change of {@code sun.nio.ch.FileChannelImpl}, whose {@code transferTo} has {@code sendfile} for the JDK's own channels, and
 * pieces of 8 KiB for all others. Changed, it begins with
 *
 * <pre>{@code
 * if (target instanceof SocketChannel sc
 *         && sc.provider().getClass() == SelectorProvider.provider().getClass()
 *         && sc.socket() instanceof ToLongBiFunction own) {
 *     return own.applyAsLong(this, new long[] {position, count});
 * }
 * }</pre>
 *
 * <p>Why so: the classes of {@code java.base} cannot name Accel's, but they can name the default provider, which is Accel where the
 * agent is at work, and a function. That the channel itself is none keeps the function out of its public type.
 */
final class FileTransferPatch {
    private static final String CHANNEL = "java/nio/channels/FileChannel";
    private static final String TRANSFER = "transferTo(JJLjava/nio/channels/WritableByteChannel;)J";
    private static final String FUNCTION = "java/util/function/ToLongBiFunction";
    /** The local variable that it is in; a long takes two. */
    private static final int TARGET = 5;

    private FileTransferPatch() {}

    /**
     * Changes the class.
     *
     * @param original its class file
     * @return the class file that is to take its place
     * @throws IllegalArgumentException if it is not what the JDKs known have, with what is different
     */
    static byte[] apply(byte[] original) {
        try {
            ClassFile file = new ClassFile(original);
            if (!file.superName().equals(CHANNEL)) {
                throw new IllegalArgumentException("it is no FileChannel of its own");
            }
            return file.with(Map.of(TRANSFER, transfer(file.constants())));
        } catch (IOException | BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("it ends too early", e);
        }
    }

    private static Prologue transfer(ConstantPool constants) throws IOException {
        AccelChannel target = new AccelChannel(constants, code -> code.add(ALOAD, TARGET));
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
                .add(3, 0) // words of arguments, and a zero
                .add(LRETURN)
                .mark(others);
    }
}
