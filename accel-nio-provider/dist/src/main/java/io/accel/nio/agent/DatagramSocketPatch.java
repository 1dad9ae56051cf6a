// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static io.accel.nio.agent.Opcodes.ARETURN;
import static io.accel.nio.agent.Opcodes.CHECKCAST;
import static io.accel.nio.agent.Opcodes.IFEQ;
import static io.accel.nio.agent.Opcodes.INSTANCEOF;
import static io.accel.nio.agent.Opcodes.INVOKEINTERFACE;
import static io.accel.nio.agent.Opcodes.INVOKESTATIC;

import java.nio.BufferUnderflowException;
import java.util.Map;

/**
 * The change of {@code sun.nio.ch.SelectorProviderImpl}, the JDK's own provider, from which {@code java.net.DatagramSocket} gets the
 * channel that does its work, whatever the default provider is. After the change {@code openUninterruptibleDatagramChannel()} begins
 * with
 *
 * <pre>{@code
 * if (SelectorProvider.provider() instanceof Supplier own) {
 *     return (DatagramChannel) own.get();
 * }
 * }</pre>
 *
 * <p>The reason: the classes of {@code java.base} cannot name Accel's, but they can name the default provider, which is Accel's under
 * the agent, and a supplier.
 */
final class DatagramSocketPatch {
    private static final String PROVIDER = "java/nio/channels/spi/SelectorProvider";
    private static final String CHANNEL = "java/nio/channels/DatagramChannel";
    private static final String SUPPLIER = "java/util/function/Supplier";
    private static final String OPEN = "openUninterruptibleDatagramChannel()L" + CHANNEL + ";";

    private DatagramSocketPatch() {}

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
            if (!file.superName().equals(PROVIDER)) {
                throw new IllegalArgumentException("it is no SelectorProvider of its own");
            }
            return file.with(Map.of(OPEN, open(file.constants())));
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("it ends too early", e);
        }
    }

    private static Prologue open(ConstantPool constants) {
        int provider = constants.addMethod(PROVIDER, "provider", "()L" + PROVIDER + ";");
        int supplier = constants.addClass(SUPPLIER);
        int get = constants.addInterfaceMethod(SUPPLIER, "get", "()Ljava/lang/Object;");
        int others = 24;
        return new Prologue()
                .addWith(INVOKESTATIC, provider)
                .addWith(INSTANCEOF, supplier)
                .addJump(IFEQ, others)
                .addWith(INVOKESTATIC, provider)
                .addWith(CHECKCAST, supplier)
                .addWith(INVOKEINTERFACE, get)
                .add(1, 0) // the words of arguments, and a zero
                .addWith(CHECKCAST, constants.addClass(CHANNEL))
                .add(ARETURN)
                .mark(others);
    }
}
