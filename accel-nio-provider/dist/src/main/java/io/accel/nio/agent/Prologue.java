// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Instructions that a method runs before its own, with the frames that the verifier needs. They may use the method's parameters and
 * eight words of stack, but no other local variables. A jump to their end goes to the method's own code. For one thread.
 */
final class Prologue {
    private static final int MAX_STACK = 8;
    private static final String FRAMES = "StackMapTable";
    // Kinds of frames (JVM specification, 4.7.4). The verifier finds the method's parameters there, and on the stack:
    private static final int NOTHING = 0;
    private static final int ONE = 64;
    private static final int INT = 1;
    private static final int FIRST_WITH_DELTA_APART = 247;
    private static final int SAME_WITH_DELTA_APART = 251;
    private static final int FULL = 255;
    // Types in them
    private static final int OBJECT = 7;
    private static final int NEW = 8;

    /** A place to which jumps go, and the kind of its frame. */
    private record Mark(int at, int kind) {}

    private final ClassBytes code = new ClassBytes();
    private final List<Mark> marks = new ArrayList<>();

    /** Appends instructions unchanged. */
    Prologue add(int... bytes) {
        for (int b : bytes) {
            code.write(b);
        }
        return this;
    }

    /** Appends an instruction whose operand is a constant. */
    Prologue addWith(int opcode, int constant) {
        return add(opcode, constant >> 8, constant);
    }

    /** Appends a jump; {@code target} counts the bytes from the prologue's first instruction. */
    Prologue addJump(int opcode, int target) {
        int distance = target - code.size();
        return add(opcode, distance >> 8, distance);
    }

    /** Marks a target of jumps, with nothing on the stack. */
    Prologue mark(int here) {
        return mark(here, NOTHING);
    }

    /** Marks a target of jumps, with an int on the stack. */
    Prologue markWithInt(int here) {
        return mark(here, ONE);
    }

    private Prologue mark(int here, int kind) {
        if (here != code.size()) {
            throw new IllegalStateException("here is " + code.size() + " and not " + here);
        }
        marks.add(new Mark(here, kind));
        return this;
    }

    /**
     * Puts this before a method's code.
     *
     * @param attribute the contents of the method's {@code Code} attribute
     * @param constants the constants of the method's class
     * @return the new contents
     * @throws IllegalArgumentException if the code has a part that this class cannot move
     */
    byte[] before(ByteBuffer attribute, ConstantPool constants) {
        // Switches are aligned by four, counted from the method's beginning.
        int padding = -code.size() & 3;
        int length = padding + code.size();
        ClassBytes out = new ClassBytes();

        out.two(Math.max(attribute.getShort() & 0xffff, MAX_STACK));
        out.two(attribute.getShort());
        int ownLength = attribute.getInt();
        if (ownLength + length > 0xffff) {
            throw new IllegalArgumentException("a method of it is too long");
        }
        out.four(ownLength + length);
        out.writeBytes(new byte[padding]); // instructions that do nothing
        out.all(code);
        out.writeBytes(next(attribute, ownLength));

        int handlers = attribute.getShort() & 0xffff;
        out.two(handlers);
        for (int i = 0; i < handlers; i++) {
            for (int place = 0; place < 3; place++) {
                out.two(attribute.getShort() + length);
            }
            out.two(attribute.getShort());
        }
        attributes(attribute, out, constants, padding);
        return out.toByteArray();
    }

    private static byte[] next(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    /** Copies the attributes of the code, which are tables of places in it. */
    private void attributes(ByteBuffer in, ClassBytes out, ConstantPool constants, int padding) {
        int length = padding + code.size();
        int count = in.getShort() & 0xffff;
        byte[] frames = {0, 0};
        int others = 0;
        ClassBytes moved = new ClassBytes();
        for (int i = 0; i < count; i++) {
            int name = in.getShort() & 0xffff;
            byte[] table = next(in, in.getInt());
            switch (constants.text(name)) {
                case FRAMES -> frames = table;
                case "LineNumberTable" -> {
                    write(moved, name, moved(table, 4, length));
                    others++;
                }
                case "LocalVariableTable", "LocalVariableTypeTable" -> {
                    write(moved, name, moved(table, 10, length));
                    others++;
                }
                default ->
                    throw new IllegalArgumentException(
                            "a method of it has the unknown attribute " + constants.text(name));
            }
        }
        write(moved, constants.addText(FRAMES), frames(frames, padding));
        out.two(others + 1);
        out.all(moved);
    }

    private static void write(ClassBytes out, int name, byte[] value) {
        out.two(name);
        out.four(value.length);
        out.writeBytes(value);
    }

    /** Moves a table whose entries begin with a place in the code. */
    private static byte[] moved(byte[] table, int entryBytes, int distance) {
        ByteBuffer entries = ByteBuffer.wrap(table.clone());
        for (int at = 2; at < table.length; at += entryBytes) {
            entries.putShort(at, (short) (entries.getShort(at) + distance));
        }
        return entries.array();
    }

    /**
     * Joins the frames of the prologue and of the method. Each frame holds its distance from the one before, and the difference to it.
     * No mark differs from the method's beginning, so only the distance of the method's first frame changes.
     */
    private byte[] frames(byte[] ofMethod, int padding) {
        moveNews(ofMethod, padding + code.size());
        ByteBuffer own = ByteBuffer.wrap(ofMethod);
        int count = own.getShort() & 0xffff;
        ClassBytes out = new ClassBytes();
        int last = -1;
        for (Mark mark : marks) {
            int delta = mark.at + padding - last - 1;
            if (delta < ONE) {
                out.write(mark.kind + delta);
            } else {
                out.write(mark.kind == ONE ? FIRST_WITH_DELTA_APART : SAME_WITH_DELTA_APART);
                out.two(delta);
            }
            if (mark.kind == ONE) {
                out.write(INT);
            }
            last = mark.at + padding;
        }
        if (count > 0) {
            int kind = own.get() & 0xff;
            if (kind >= FIRST_WITH_DELTA_APART) {
                out.write(kind);
                out.two(closer(own.getShort() & 0xffff));
            } else {
                out.write((kind & ONE) + closer(kind & 63));
            }
        }
        out.write(ofMethod, own.position(), own.remaining());
        ByteBuffer table = ByteBuffer.allocate(2 + out.size());
        return table.putShort((short) (marks.size() + count))
                .put(out.toByteArray())
                .array();
    }

    /** Moves the references of frames to uninitialised objects, which are the places of the instructions that made them. */
    private static void moveNews(byte[] frames, int distance) {
        ByteBuffer in = ByteBuffer.wrap(frames);
        int count = in.getShort() & 0xffff;
        for (int i = 0; i < count; i++) {
            int kind = in.get() & 0xff;
            if (kind < ONE) {
                continue;
            }
            if (kind < 128) {
                moveNews(in, 1, distance);
                continue;
            }
            if (kind < FIRST_WITH_DELTA_APART) {
                throw new IllegalArgumentException("a method of it has a frame of the unknown kind " + kind);
            }
            in.getShort();
            if (kind == FIRST_WITH_DELTA_APART) {
                moveNews(in, 1, distance);
            } else if (kind == FULL) {
                moveNews(in, in.getShort(), distance);
                moveNews(in, in.getShort(), distance);
            } else if (kind > SAME_WITH_DELTA_APART) {
                moveNews(in, kind - SAME_WITH_DELTA_APART, distance);
            }
        }
    }

    private static void moveNews(ByteBuffer in, int count, int distance) {
        for (int i = 0; i < count; i++) {
            int type = in.get();
            if (type == NEW) {
                in.putShort((short) (in.getShort(in.position()) + distance));
            } else if (type == OBJECT) {
                in.getShort();
            }
        }
    }

    /** Converts a distance from the method's beginning to one from the frame at the prologue's end, which is one less. */
    private static int closer(int delta) {
        if (delta == 0) {
            throw new IllegalArgumentException("a method of it begins with a loop");
        }
        return delta - 1;
    }
}
