// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static io.accel.nio.agent.Opcodes.ALOAD;
import static io.accel.nio.agent.Opcodes.ALOAD_0;
import static io.accel.nio.agent.Opcodes.CHECKCAST;
import static io.accel.nio.agent.Opcodes.GETFIELD;
import static io.accel.nio.agent.Opcodes.IFEQ;
import static io.accel.nio.agent.Opcodes.IF_ACMPNE;
import static io.accel.nio.agent.Opcodes.INSTANCEOF;
import static io.accel.nio.agent.Opcodes.INVOKESTATIC;
import static io.accel.nio.agent.Opcodes.INVOKEVIRTUAL;

/**
 * The test by which a class of {@code java.base} recognises a socket channel of Accel's without naming Accel's classes: the channel's
 * provider is of the same class as the default provider, which is Accel's under the agent. For one thread.
 */
final class AccelChannel {
    private static final String SOCKET_CHANNEL = "java/nio/channels/SocketChannel";
    private static final String PROVIDER = "java/nio/channels/spi/SelectorProvider";
    private static final String GET_PROVIDER = "()L" + PROVIDER + ";";

    private final ConstantPool constants;
    private final int type;
    /** The local variable that has the object; negative if a field has it. */
    private final int local;
    /** The constant of that field of the object whose method this is. */
    private final int field;

    private AccelChannel(ConstantPool constants, int local, int field) {
        this.constants = constants;
        this.type = constants.addClass(SOCKET_CHANNEL);
        this.local = local;
        this.field = field;
    }

    /**
     * An object that may be such a channel, in a local variable.
     *
     * @param constants the constants of the class that asks
     * @param local the variable
     */
    static AccelChannel inVariable(ConstantPool constants, int local) {
        return new AccelChannel(constants, local, 0);
    }

    /**
     * As {@link #inVariable}, in a field.
     *
     * @param constants as there
     * @param field the constant of the field
     */
    static AccelChannel inField(ConstantPool constants, int field) {
        return new AccelChannel(constants, -1, field);
    }

    private Prologue put(Prologue code) {
        return local < 0 ? code.add(ALOAD_0).addWith(GETFIELD, field) : code.add(ALOAD, local);
    }

    /** Puts the object on the stack as a socket channel, which it is known to be. */
    Prologue load(Prologue code) {
        return put(code).addWith(CHECKCAST, type);
    }

    /** Returns the constant for a method of socket channels. */
    int method(String name, String descriptor) {
        return constants.addMethod(SOCKET_CHANNEL, name, descriptor);
    }

    /** Returns a prologue that begins with a jump to {@code other}, unless this is a socket channel of Accel's. */
    Prologue unless(int other) {
        int getClass = constants.addMethod("java/lang/Object", "getClass", "()Ljava/lang/Class;");
        Prologue code = put(new Prologue()).addWith(INSTANCEOF, type).addJump(IFEQ, other);
        return load(code)
                .addWith(INVOKEVIRTUAL, method("provider", GET_PROVIDER))
                .addWith(INVOKEVIRTUAL, getClass)
                .addWith(INVOKESTATIC, constants.addMethod(PROVIDER, "provider", GET_PROVIDER))
                .addWith(INVOKEVIRTUAL, getClass)
                .addJump(IF_ACMPNE, other);
    }
}
