package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.util.CheckClassAdapter;
import org.objectweb.asm.util.Textifier;
import org.objectweb.asm.util.TraceMethodVisitor;

/** The change of the JDK's class, on the class files of the JDKs here and on one that is harder to change. */
class ChannelInputPatchTest {
    private static final List<String> CHANGED =
            List.of("read(Ljava/nio/ByteBuffer;)I", "transferTo(Ljava/io/OutputStream;)J");
    private static final int FIRST_JDK = 19;

    /** Defines one class by itself, so that the JVM verifies it. */
    private static final class Loader extends ClassLoader {
        private final byte[] file;

        Loader(byte[] file) {
            super(ChannelInputPatchTest.class.getClassLoader());
            this.file = file;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(OtherStream.class.getName())
                    ? defineClass(name, file, 0, file.length)
                    : super.loadClass(name, resolve);
        }
    }

    static Stream<byte[]> classFiles() throws IOException {
        List<byte[]> files = new ArrayList<>(List.of(other()));
        for (Path jdk : List.of(
                Path.of(System.getProperty("java.home")), Path.of(System.getProperty("newer.jdk", "/nowhere")))) {
            if (Files.isDirectory(jdk) && feature(jdk) >= FIRST_JDK) {
                files.add(ofJdk(jdk));
            }
        }
        return files.stream();
    }

    @ParameterizedTest
    @MethodSource("classFiles")
    void theMethodsBeginDifferentlyAndNothingElseChanges(byte[] original) {
        byte[] changed = ChannelInputPatch.apply(original);
        StringWriter complaints = new StringWriter();
        CheckClassAdapter.verify(new ClassReader(changed), false, new PrintWriter(complaints));
        assertThat(complaints.toString()).isEmpty();

        ClassNode before = node(original);
        ClassNode after = node(changed);
        assertThat(after.version).isEqualTo(before.version);
        assertThat(after.access).isEqualTo(before.access);
        assertThat(after.interfaces).isEqualTo(before.interfaces);
        assertThat(after.fields).hasSameSizeAs(before.fields);
        Map<String, MethodNode> methods = methods(before);
        assertThat(methods).containsKeys(CHANGED.get(0), CHANGED.get(1));
        methods(after).forEach((signature, method) -> {
            if (CHANGED.contains(signature)) {
                assertThat(opcodes(method))
                        .hasSizeGreaterThan(opcodes(methods.get(signature)).size());
                assertThat(opcodes(method))
                        .endsWith(opcodes(methods.remove(signature)).toArray(Integer[]::new));
            } else {
                assertThat(text(method)).isEqualTo(text(methods.remove(signature)));
            }
        });
        assertThat(methods).isEmpty();
    }

    @Test
    void anotherFormIsRefusedWithWhatIsDifferent() throws IOException {
        byte[] file = other();
        assertRefused(new byte[100], "no class file");
        assertRefused(Arrays.copyOf(file, 8), "ends too early");
        assertRefused(Arrays.copyOf(file, file.length / 2), "ends too early");
        assertRefused(bytes(ChannelInputPatchTest.class), "no field ch");
        if (Runtime.version().feature() < FIRST_JDK) {
            assertRefused(ofJdk(Path.of(System.getProperty("java.home"))), "no method transferTo");
        }
    }

    private static void assertRefused(byte[] file, String why) {
        assertThatThrownBy(() -> ChannelInputPatch.apply(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void channelsOfOthersAreReadAsBefore() throws Exception {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.wrap(new byte[1]));
            assertThat(changed(source).read()).isEqualTo(10 + OtherStream.NOTHING);
            assertThat(changed(source).transferTo(null)).isEqualTo(-1);
        }
        assertThat(changed(new Failing()).read()).isEqualTo(140);
    }

    private static final class Failing implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer dst) {
            throw new IllegalStateException();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void socketChannelsOfTheProviderAreReadDirectly() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(null);
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            server.write(ByteBuffer.wrap(new byte[] {5, 6, 7}));
            server.shutdownOutput();
            InputStream stream = changed(client);
            assertThat(stream.read()).isEqualTo(5);
            assertThatThrownBy(() -> stream.transferTo(null)).isInstanceOf(NullPointerException.class);
            client.configureBlocking(false);
            assertThatThrownBy(stream::read).isInstanceOf(IllegalBlockingModeException.class);
        }
    }

    /** A channel that has nothing once, because its mode has changed and changed back, and then changes for good. */
    private static final class Unsteady extends SocketChannelStub {
        private int reads;

        @Override
        public int read(ByteBuffer dst) throws IOException {
            switch (++reads) {
                case 1 -> {
                    return 0;
                }
                case 2 -> {
                    dst.put((byte) 9);
                    return 1;
                }
                default -> {
                    configureBlocking(false);
                    return 0;
                }
            }
        }
    }

    @Test
    void aModeThatChangesUnderAReadIsNotTheEnd() throws Exception {
        try (Unsteady channel = new Unsteady()) {
            InputStream stream = changed(channel);
            assertThat(stream.read()).isEqualTo(9);
            assertThatThrownBy(stream::read).isInstanceOf(IllegalBlockingModeException.class);
        }
    }

    private static InputStream changed(ReadableByteChannel channel) throws Exception {
        Constructor<?> constructor = new Loader(ChannelInputPatch.apply(other()))
                .loadClass(OtherStream.class.getName())
                .getDeclaredConstructor(ReadableByteChannel.class);
        constructor.setAccessible(true);
        return (InputStream) constructor.newInstance(channel);
    }

    private static byte[] other() throws IOException {
        return bytes(OtherStream.class);
    }

    private static byte[] bytes(Class<?> of) throws IOException {
        try (InputStream in = of.getResourceAsStream(of.getSimpleName() + ".class")) {
            return in.readAllBytes();
        }
    }

    private static byte[] ofJdk(Path jdk) throws IOException {
        return fromJdk(jdk, "/modules/java.base/sun/nio/ch/ChannelInputStream.class");
    }

    /** From the version of its class files. */
    private static int feature(Path jdk) throws IOException {
        return ByteBuffer.wrap(fromJdk(jdk, "/modules/java.base/java/lang/Object.class"))
                        .getShort(6)
                - 44;
    }

    private static byte[] fromJdk(Path jdk, String path) throws IOException {
        try (FileSystem jrt = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of("java.home", jdk.toString()))) {
            return Files.readAllBytes(jrt.getPath(path));
        }
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
