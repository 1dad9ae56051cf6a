// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static io.accel.nio.agent.Opcodes.CHECKCAST;
import static io.accel.nio.agent.Opcodes.IFEQ;
import static io.accel.nio.agent.Opcodes.IF_ACMPNE;
import static io.accel.nio.agent.Opcodes.INSTANCEOF;
import static io.accel.nio.agent.Opcodes.INVOKESTATIC;
import static io.accel.nio.agent.Opcodes.INVOKEVIRTUAL;

import java.io.IOException;
import java.util.function.Consumer;

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
    private final Consumer<Prologue> load;

    /**
     * Describes an object that may be such a channel.
     *
     * @param constants the constants of the class that asks
     * @param load adds the instructions that put the object on the stack
     */
    AccelChannel(ConstantPool constants, Consumer<Prologue> load) throws IOException {
        this.constants = constants;
        this.type = constants.addClass(SOCKET_CHANNEL);
        this.load = load;
    }

    /** Puts the object on the stack as a socket channel, which it is known to be. */
    Prologue load(Prologue code) {
        load.accept(code);
        return code.addWith(CHECKCAST, type);
    }

    /** Returns the constant for a method of socket channels. */
    int method(String name, String descriptor) throws IOException {
        return constants.addMethod(SOCKET_CHANNEL, name, descriptor);
    }

    /** Returns a prologue that begins with a jump to {@code other}, unless this is a socket channel of Accel's. */
    Prologue unless(int other) throws IOException {
        int getClass = constants.addMethod("java/lang/Object", "getClass", "()Ljava/lang/Class;");
        Prologue code = new Prologue();
        load.accept(code);
        code.addWith(INSTANCEOF, type).addJump(IFEQ, other);
        return load(code)
                .addWith(INVOKEVIRTUAL, method("provider", GET_PROVIDER))
                .addWith(INVOKEVIRTUAL, getClass)
                .addWith(INVOKESTATIC, constants.addMethod(PROVIDER, "provider", GET_PROVIDER))
                .addWith(INVOKEVIRTUAL, getClass)
                .addJump(IF_ACMPNE, other);
    }
}
