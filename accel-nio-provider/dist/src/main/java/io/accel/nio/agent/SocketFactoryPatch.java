// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static io.accel.nio.agent.Opcodes.ACONST_NULL;
import static io.accel.nio.agent.Opcodes.ALOAD_0;
import static io.accel.nio.agent.Opcodes.ARETURN;
import static io.accel.nio.agent.Opcodes.CHECKCAST;
import static io.accel.nio.agent.Opcodes.DUP;
import static io.accel.nio.agent.Opcodes.GETFIELD;
import static io.accel.nio.agent.Opcodes.GETSTATIC;
import static io.accel.nio.agent.Opcodes.IFEQ;
import static io.accel.nio.agent.Opcodes.IFNE;
import static io.accel.nio.agent.Opcodes.INSTANCEOF;
import static io.accel.nio.agent.Opcodes.INVOKEINTERFACE;
import static io.accel.nio.agent.Opcodes.INVOKESPECIAL;
import static io.accel.nio.agent.Opcodes.PUTSTATIC;
import static io.accel.nio.agent.Opcodes.RETURN;
import static io.accel.nio.agent.Opcodes.SWAP;

import java.nio.BufferUnderflowException;
import java.util.Map;

/**
 * The changes of {@code java.net.Socket} and {@code ServerSocket} by which Accel's factories do not take the one place that the JDK has
 * for a program's. After them, the method that sets a factory begins with
 *
 * <pre>{@code
 * if (factory instanceof Predicate own) {
 *     if (!own.test(wanted)) {
 *         return;
 *     }
 *     factory = null;
 * }
 * }</pre>
 *
 * <p>and {@code ServerSocket.implAccept()}, which makes the implementation of an accepted socket, with
 *
 * <pre>{@code
 * if (impl instanceof Supplier own) {
 *     SocketImpl made = (SocketImpl) own.get();
 *     implAccept(made);
 *     return made;
 * }
 * }</pre>
 *
 * <p>The reason for the second: a listener of the JDK's makes what it accepts, whatever the factory of sockets is, and Accel's listener
 * must do so as well when a program has a factory of its own. The classes of {@code java.base} cannot name Accel's, but an interface that
 * they have.
 */
final class SocketFactoryPatch {
    private static final String SOCKET = "java/net/Socket";
    private static final String SERVER_SOCKET = "java/net/ServerSocket";
    private static final String IMPLEMENTATION = "Ljava/net/SocketImpl;";
    private static final String FACTORY = "Ljava/net/SocketImplFactory;";
    private static final String PREDICATE = "java/util/function/Predicate";
    private static final String SUPPLIER = "java/util/function/Supplier";
    private static final String SET_OF_SOCKET = "setSocketImplFactory(" + FACTORY + ")V";
    private static final String SET_OF_SERVER_SOCKET = "setSocketFactory(" + FACTORY + ")V";
    private static final String ACCEPT = "implAccept()" + IMPLEMENTATION;

    private SocketFactoryPatch() {}

    /**
     * Changes {@code java.net.Socket}.
     *
     * @param original the original class file
     * @return the changed class file
     * @throws IllegalArgumentException if the class differs from the class in the known JDKs; the message says how
     */
    static byte[] applyToSocket(byte[] original) {
        return apply(original, SOCKET);
    }

    /** Changes {@code java.net.ServerSocket}. As {@link #applyToSocket}. */
    static byte[] applyToServerSocket(byte[] original) {
        return apply(original, SERVER_SOCKET);
    }

    private static byte[] apply(byte[] original, String name) {
        try {
            ClassFile file = new ClassFile(original);
            if (!file.name().equals(name)) {
                throw new IllegalArgumentException("it is another class");
            }
            return file.with(
                    name.equals(SOCKET)
                            ? Map.of(SET_OF_SOCKET, stepAside(file))
                            : Map.of(SET_OF_SERVER_SOCKET, stepAside(file), ACCEPT, makeAccepted(file)));
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("it ends too early", e);
        }
    }

    private static Prologue stepAside(ClassFile file) {
        if (!file.hasStaticField("factory", FACTORY)) {
            throw new IllegalArgumentException("it keeps its factory elsewhere");
        }
        ConstantPool constants = file.constants();
        int factory = constants.addField(file.name(), "factory", FACTORY);
        int predicate = constants.addClass(PREDICATE);
        int test = constants.addInterfaceMethod(PREDICATE, "test", "(Ljava/lang/Object;)Z");
        int aside = 25;
        int others = 29;
        return new Prologue()
                .addWith(GETSTATIC, factory)
                .addWith(INSTANCEOF, predicate)
                .addJump(IFEQ, others)
                .addWith(GETSTATIC, factory)
                .addWith(CHECKCAST, predicate)
                .add(ALOAD_0)
                .addWith(INVOKEINTERFACE, test)
                .add(2, 0) // the words of arguments, and a zero
                .addJump(IFNE, aside)
                .add(RETURN)
                .mark(aside)
                .add(ACONST_NULL)
                .addWith(PUTSTATIC, factory)
                .mark(others);
    }

    private static Prologue makeAccepted(ClassFile file) {
        if (!file.hasField("impl", IMPLEMENTATION)) {
            throw new IllegalArgumentException("it keeps its implementation elsewhere");
        }
        ConstantPool constants = file.constants();
        int implementation = constants.addField(file.name(), "impl", IMPLEMENTATION);
        int supplier = constants.addClass(SUPPLIER);
        int get = constants.addInterfaceMethod(SUPPLIER, "get", "()Ljava/lang/Object;");
        int accept = constants.addMethod(file.name(), "implAccept", "(" + IMPLEMENTATION + ")V");
        int others = 32;
        return new Prologue()
                .add(ALOAD_0)
                .addWith(GETFIELD, implementation)
                .addWith(INSTANCEOF, supplier)
                .addJump(IFEQ, others)
                .add(ALOAD_0)
                .addWith(GETFIELD, implementation)
                .addWith(CHECKCAST, supplier)
                .addWith(INVOKEINTERFACE, get)
                .add(1, 0)
                .addWith(CHECKCAST, constants.addClass("java/net/SocketImpl"))
                .add(DUP, ALOAD_0, SWAP)
                .addWith(INVOKESPECIAL, accept)
                .add(ARETURN)
                .mark(others);
    }
}
