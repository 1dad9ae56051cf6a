// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The constants of a class file (JVM specification, 4.4): its own, followed by the added ones. An index that the class file uses stays
 * the same. For one thread.
 */
final class ConstantPool {
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;

    private final byte[] file;
    private final ByteBuffer in;
    /** The place of each constant's tag. */
    private final int[] places;

    private final int begin;
    private final int end;
    private final ClassBytes added = new ClassBytes();
    private int count;

    /** Reads the pool, from its count on, and leaves the position after it. */
    ConstantPool(byte[] file, ByteBuffer in) {
        this.file = file;
        this.in = in;
        count = in.getShort() & 0xffff;
        places = new int[count];
        begin = in.position();
        for (int i = 1; i < count; i++) {
            places[i] = in.position();
            int tag = in.get();
            int length =
                    switch (tag) {
                        case UTF8 -> 2 + (in.getShort(in.position()) & 0xffff);
                        case CLASS, 8, 16, 19, 20 -> 2;
                        case 15 -> 3;
                        case 3, 4, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, 17, 18 -> 4;
                        case LONG, DOUBLE -> 8;
                        default ->
                            throw new IllegalArgumentException("its constant " + i + " is of the unknown kind " + tag);
                    };
            if (tag == LONG || tag == DOUBLE) {
                i++; // these take two indexes
            }
            if (length > in.remaining()) {
                throw new BufferUnderflowException();
            }
            in.position(in.position() + length);
        }
        end = in.position();
    }

    /** Returns the text at an index of the class file, as far as each character has one byte there: others are in no name that is looked for. */
    String text(int index) {
        int place = places[index] + 1;
        int length = in.getShort(place) & 0xffff;
        StringBuilder text = new StringBuilder(length);
        for (int i = place + 2; i < place + 2 + length; i++) {
            text.append((char) file[i]);
        }
        return text.toString();
    }

    /** Returns the name of the class at an index of the class file. */
    String className(int index) {
        return text(in.getShort(places[index] + 1) & 0xffff);
    }

    int addText(String text) {
        added.write(UTF8);
        added.text(text);
        return index();
    }

    int addClass(String name) {
        int text = addText(name);
        added.write(CLASS);
        added.two(text);
        return index();
    }

    int addField(String owner, String name, String type) {
        return addMember(FIELD, owner, name, type);
    }

    int addMethod(String owner, String name, String type) {
        return addMember(METHOD, owner, name, type);
    }

    int addInterfaceMethod(String owner, String name, String type) {
        return addMember(INTERFACE_METHOD, owner, name, type);
    }

    private int addMember(int tag, String owner, String name, String type) {
        int ofClass = addClass(owner);
        int called = addText(name);
        int typed = addText(type);
        added.write(NAME_AND_TYPE);
        added.two(called);
        added.two(typed);
        int member = index();
        added.write(tag);
        added.two(ofClass);
        added.two(member);
        return index();
    }

    private int index() {
        if (count == 0xffff) {
            throw new IllegalArgumentException("it has no room for more constants");
        }
        return count++;
    }

    /** Writes all constants, from their count on. */
    void writeTo(ClassBytes to) {
        to.two(count);
        to.write(file, begin, end - begin);
        to.all(added);
    }
}
