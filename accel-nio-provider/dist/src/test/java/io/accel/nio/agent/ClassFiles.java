// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.util.CheckClassAdapter;
import org.objectweb.asm.util.Textifier;
import org.objectweb.asm.util.TraceMethodVisitor;

/** Class files of the JDKs here and of the tests, and the differences of a changed class from the original. */
final class ClassFiles {
    private ClassFiles() {}

    static byte[] of(Class<?> type) throws IOException {
        try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
            return in.readAllBytes();
        }
    }

    /** The class file from {@code java.base} in this JDK, and in the newer JDK if there is one, except for JDKs that are too old. */
    static List<byte[]> ofJdks(String name, int firstJdk) throws IOException {
        List<byte[]> files = new ArrayList<>();
        for (Path jdk : List.of(thisJdk(), Path.of(System.getProperty("newer.jdk", "/nowhere")))) {
            if (Files.isDirectory(jdk) && feature(jdk) >= firstJdk) {
                files.add(ofJdk(jdk, name));
            }
        }
        return files;
    }

    static Path thisJdk() {
        return Path.of(System.getProperty("java.home"));
    }

    static byte[] ofJdk(Path jdk, String name) throws IOException {
        try (FileSystem jrt = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of("java.home", jdk.toString()))) {
            return Files.readAllBytes(jrt.getPath("/modules/java.base/" + name.replace('.', '/') + ".class"));
        }
    }

    /** From the version of its class files. */
    private static int feature(Path jdk) throws IOException {
        return ByteBuffer.wrap(ofJdk(jdk, "java.lang.Object")).getShort(6) - 44;
    }

    /**
     * Asserts that the verifier accepts it like the original, that these methods end as before and begin with further
     * instructions, and that nothing else has changed.
     */
    static void assertBegunDifferently(byte[] original, byte[] changed, List<String> signatures) {
        // Some methods of the original, if it is from a newer JDK, whose types this JDK does not have.
        assertThat(complaints(changed)).isEqualTo(complaints(original));

        ClassNode before = node(original);
        ClassNode after = node(changed);
        assertThat(after.version).isEqualTo(before.version);
        assertThat(after.access).isEqualTo(before.access);
        assertThat(after.interfaces).isEqualTo(before.interfaces);
        assertThat(after.fields).hasSameSizeAs(before.fields);
        Map<String, MethodNode> methods = methods(before);
        assertThat(methods).containsKeys(signatures.toArray(String[]::new));
        methods(after).forEach((signature, method) -> {
            MethodNode was = methods.remove(signature);
            if (signatures.contains(signature)) {
                assertThat(opcodes(method)).hasSizeGreaterThan(opcodes(was).size());
                assertThat(opcodes(method)).endsWith(opcodes(was).toArray(Integer[]::new));
            } else {
                assertThat(text(method)).isEqualTo(text(was));
            }
        });
        assertThat(methods).isEmpty();
    }

    private static String complaints(byte[] file) {
        StringWriter complaints = new StringWriter();
        CheckClassAdapter.verify(new ClassReader(file), false, new PrintWriter(complaints));
        return complaints.toString();
    }

    private static ClassNode node(byte[] file) {
        ClassNode node = new ClassNode();
        new ClassReader(file).accept(node, 0);
        return node;
    }

    private static Map<String, MethodNode> methods(ClassNode node) {
        Map<String, MethodNode> methods = new TreeMap<>();
        node.methods.forEach(method -> methods.put(method.name + method.desc, method));
        return methods;
    }

    private static List<Integer> opcodes(MethodNode method) {
        return StreamSupport.stream(method.instructions.spliterator(), false)
                .map(AbstractInsnNode::getOpcode)
                .filter(opcode -> opcode >= 0)
                .toList();
    }

    private static List<Object> text(MethodNode method) {
        Textifier text = new Textifier();
        method.accept(new TraceMethodVisitor(text));
        return text.text;
    }
}
