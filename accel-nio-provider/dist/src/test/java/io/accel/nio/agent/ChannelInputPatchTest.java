// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The change of the JDK's class, on the class files of the JDKs here and on a class that is harder to change. */
class ChannelInputPatchTest {
    private static final List<String> CHANGED =
            List.of("read(Ljava/nio/ByteBuffer;)I", "transferTo(Ljava/io/OutputStream;)J");
    private static final String STREAM = "sun.nio.ch.ChannelInputStream";
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
        return Stream.concat(Stream.of(other()), ClassFiles.ofJdks(STREAM, FIRST_JDK).stream());
    }

    @ParameterizedTest
    @MethodSource("classFiles")
    void theMethodsBeginDifferentlyAndNothingElseChanges(byte[] original) {
        ClassFiles.assertBegunDifferently(original, ChannelInputPatch.apply(original), CHANGED);
    }

    @Test
    void anotherFormIsRefusedWithWhatIsDifferent() throws IOException {
        byte[] file = other();
        assertRefused(new byte[100], "no class file");
        assertRefused(Arrays.copyOf(file, 8), "ends too early");
        assertRefused(Arrays.copyOf(file, file.length / 2), "ends too early");
        assertRefused(ClassFiles.of(ChannelInputPatchTest.class), "no field ch");
        if (Runtime.version().feature() < FIRST_JDK) {
            assertRefused(ClassFiles.ofJdk(ClassFiles.thisJdk(), STREAM), "no method transferTo");
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

    /** A channel that has nothing once, because its mode has changed and changed back, and then changes finally. */
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
        return ClassFiles.of(OtherStream.class);
    }
}
