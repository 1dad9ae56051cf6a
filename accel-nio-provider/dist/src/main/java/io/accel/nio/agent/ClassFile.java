// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A class file in which methods get a {@link Prologue}, and everything else stays as it is. For one thread.
 *
 * <p>No library does this because of its load time. The JDK uses the changed class when it reads files, so nearly every JVM would load
 * the library as it starts, which takes several times as long as all the work here.
 */
final class ClassFile {
    private static final int MAGIC = 0xcafebabe;
    private static final int STATIC = 0x0008;

    private final byte[] file;
    private final ByteBuffer in;
    private final ConstantPool constants;
    private final String name;
    private final String superName;
    private final Set<String> fields = new HashSet<>();
    private final Set<String> staticFields = new HashSet<>();
    /** The end of the constants. */
    private final int head;

    /**
     * Reads a class file up to its methods.
     *
     * @throws IllegalArgumentException if it is not a class file, or has an unknown part
     */
    ClassFile(byte[] file) {
        this.file = file;
        in = ByteBuffer.wrap(file);
        if (in.getInt() != MAGIC) {
            throw new IllegalArgumentException("it is no class file");
        }
        in.getInt(); // the version
        constants = new ConstantPool(file, in);
        head = in.position();
        in.getShort(); // the access flags
        name = constants.className(next());
        superName = constants.className(next());
        skip(2 * next());
        int count = next();
        for (int i = 0; i < count; i++) {
            boolean isStatic = (next() & STATIC) != 0;
            String field = constants.text(next()) + " " + constants.text(next());
            (isStatic ? staticFields : fields).add(field);
            skipAttributes();
        }
    }

    ConstantPool constants() {
        return constants;
    }

    String name() {
        return name;
    }

    String superName() {
        return superName;
    }

    /** Whether objects of the class have this field. */
    boolean hasField(String field, String type) {
        return fields.contains(field + " " + type);
    }

    /** Whether the class itself has this field. */
    boolean hasStaticField(String field, String type) {
        return staticFields.contains(field + " " + type);
    }

    /**
     * Makes the class file whose methods have these prologues. To be called once.
     *
     * @param prologues the prologues, by names of methods with their descriptors
     * @throws IllegalArgumentException if there is no such method, or if it has an unknown part
     */
    byte[] with(Map<String, Prologue> prologues) {
        Map<String, Prologue> left = new HashMap<>(prologues);
        ClassBytes out = new ClassBytes();
        int copied = head;
        int count = next();
        for (int i = 0; i < count; i++) {
            next(); // the access flags
            String method = constants.text(next()) + constants.text(next());
            Prologue prologue = left.remove(method);
            if (prologue == null) {
                skipAttributes();
                continue;
            }
            int attributes = next();
            for (int j = 0; j < attributes; j++) {
                boolean isCode = constants.text(next()).equals("Code");
                int length = in.getInt();
                int begin = in.position();
                skip(length);
                if (isCode) {
                    out.write(file, copied, begin - 4 - copied);
                    byte[] code = prologue.before(in.slice(begin, length), constants);
                    out.four(code.length);
                    out.writeBytes(code);
                    copied = in.position();
                }
            }
        }
        if (!left.isEmpty()) {
            throw new IllegalArgumentException(
                    "it has no method " + left.keySet().iterator().next());
        }
        out.write(file, copied, in.limit() - copied);

        ClassBytes whole = new ClassBytes();
        whole.write(file, 0, 8);
        constants.writeTo(whole);
        whole.all(out);
        return whole.toByteArray();
    }

    private void skipAttributes() {
        int count = next();
        for (int i = 0; i < count; i++) {
            in.getShort();
            skip(in.getInt());
        }
    }

    private int next() {
        return in.getShort() & 0xffff;
    }

    private void skip(int bytes) {
        if (bytes > in.remaining()) {
            throw new BufferUnderflowException();
        }
        in.position(in.position() + bytes);
    }
}
