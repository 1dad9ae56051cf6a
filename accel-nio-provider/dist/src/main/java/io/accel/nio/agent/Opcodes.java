// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

/** The instructions of {@link Prologue}s (JVM specification, 6.5). */
final class Opcodes {
    static final int ACONST_NULL = 1;
    static final int ICONST_0 = 3;
    static final int ICONST_1 = 4;
    static final int ICONST_2 = 5;
    static final int ALOAD = 25;
    static final int LLOAD_1 = 31;
    static final int LLOAD_3 = 33;
    static final int ALOAD_0 = 42;
    static final int ALOAD_1 = 43;
    static final int LASTORE = 80;
    static final int POP = 87;
    static final int DUP = 89;
    static final int SWAP = 95;
    static final int IFEQ = 153;
    static final int IFNE = 154;
    static final int IF_ACMPNE = 166;
    static final int IRETURN = 172;
    static final int LRETURN = 173;
    static final int ARETURN = 176;
    static final int RETURN = 177;
    static final int GETSTATIC = 178;
    static final int PUTSTATIC = 179;
    static final int GETFIELD = 180;
    static final int INVOKEVIRTUAL = 182;
    static final int INVOKESPECIAL = 183;
    static final int INVOKESTATIC = 184;
    static final int INVOKEINTERFACE = 185;
    static final int NEW = 187;
    static final int NEWARRAY = 188;
    static final int ATHROW = 191;
    static final int CHECKCAST = 192;
    static final int INSTANCEOF = 193;

    /** The operand of {@link #NEWARRAY} for longs. */
    static final int T_LONG = 11;

    private Opcodes() {}
}
