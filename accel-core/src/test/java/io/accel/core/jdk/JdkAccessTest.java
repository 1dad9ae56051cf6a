// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The parts of the JDK that {@link JdkAccess} reaches, on this JDK and a newer one, with the ways open and with them closed. */
class JdkAccessTest {
    private static final String EXPORT = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";
    private static final String NO_UNSUPPORTED = "--limit-modules=java.base";
    private static final Path NEWER_JDK = Path.of(System.getProperty("newer.jdk", "/nowhere"));

    @TempDir
    private Path dir;

    /** The JDK that runs this test, and the newer one if the build was told of it. */
    static Stream<Path> jdks() {
        return Stream.of(Path.of(System.getProperty("java.home")), NEWER_JDK).filter(Files::isDirectory);
    }

    @Test
    void kernelProviderIsTheJdksAndAlwaysTheSame() throws IOException {
        SelectorProvider kernel = JdkAccess.kernelProvider();
        assertThat(JdkAccess.kernelProvider()).isSameAs(kernel);
        try (SocketChannel channel = kernel.openSocketChannel()) {
            assertThat(channel.getClass().getName()).startsWith("sun.nio.ch.");
        }
    }

    @Test
    void kernelAsynchronousProviderIsTheJdksAndAlwaysTheSame() throws IOException {
        AsynchronousChannelProvider kernel = JdkAccess.kernelAsynchronousProvider();
        assertThat(JdkAccess.kernelAsynchronousProvider()).isSameAs(kernel);
        try (AsynchronousSocketChannel channel = kernel.openAsynchronousSocketChannel(null)) {
            assertThat(channel.getClass().getName()).startsWith("sun.nio.ch.");
        }
    }

    @Test
    void bothWaysToTheTrustedLookupWork() throws ReflectiveOperationException {
        assertThat(TrustedLookup.byReflectionFactory()).hasToString("/trusted");
        assertThat(TrustedLookup.byUnsafe()).hasToString("/trusted");
    }

    @Test
    void aLookupForOneClassOfTheJdksOwnMayUseIt() throws ReflectiveOperationException {
        Class<?> kind = TrustedLookup.internal("sun.nio.ch.SelChImpl");
        MethodHandles.Lookup lookup = TrustedLookup.byReflectionFactory(kind);
        assertThat(lookup.lookupClass()).isSameAs(kind);
        MethodType type = MethodType.methodType(FileDescriptor.class);
        assertThat(lookup.findVirtual(kind, "getFD", type).type().returnType()).isSameAs(FileDescriptor.class);
    }

    @Test
    void unmapFreesTheMappingAtOnce() throws Exception {
        assumeThat(Path.of("/proc/self/maps")).exists();
        assertThat(JdkAccessProbe.mappedAfterUnmap()).isFalse();
    }

    @Test
    void unmapRefusesASlice() throws IOException {
        Path file = Files.write(dir.resolve("mapped"), new byte[64]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MappedByteBuffer whole = channel.map(MapMode.READ_ONLY, 0, 64);
            MappedByteBuffer slice = whole.slice(8, 8);
            assertThatThrownBy(() -> JdkAccess.unmap(slice)).isInstanceOf(IllegalArgumentException.class);
            assertThat(whole.get(8)).isZero();
            JdkAccess.unmap(whole);
        }
    }

    /** Runs in a child, whose standard input is a descriptor that no other object closes. */
    @ParameterizedTest
    @MethodSource("jdks")
    void anyDescriptorBecomesSelectable(Path jdk) throws Exception {
        Path log = dir.resolve("selectable.log");
        Process child = start(jdk, List.of(), log, "selectable");
        try {
            await().atMost(20, TimeUnit.SECONDS)
                    .until(() -> Files.readString(log).contains("ready 0"));
            child.getOutputStream().write(7);
            child.getOutputStream().flush();
            assertThat(child.waitFor(20, TimeUnit.SECONDS)).as("ends").isTrue();
            assertThat(Files.readString(log).lines()).containsExactly("ready 0", "ready 1", "read 7", "closed");
            assertThat(child.exitValue()).isZero();
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void worksWithoutAnyFlagAndPrintsNoWarning(Path jdk) throws Exception {
        Result result = run(jdk, List.of(), "provider", "unmap");
        assertThat(result.output).matches("provider sun\\.nio\\.ch\\.\\w+ open true\\s+mapped after unmap: false\\s+");
        assertThat(result.status).isZero();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aConnectionOutlivesTheDescriptorThatIsClosed(Path jdk) throws Exception {
        Result result = run(jdk, List.of(), "duplicate");
        assertThat(result.output.lines()).containsExactly("remote true", "came 42 43 and the end after 2");
        assertThat(result.status).isZero();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void anExportAloneIsEnough(Path jdk) throws Exception {
        Result result = run(jdk, List.of(NO_UNSUPPORTED, EXPORT), "provider");
        assertThat(result.output).matches("provider sun\\.nio\\.ch\\.\\w+ open true\\s+");
        assertThat(result.status).isZero();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void whereEverythingIsClosedTheErrorNamesTheFlag(Path jdk) throws Exception {
        Result result = run(jdk, List.of(NO_UNSUPPORTED), "provider");
        assertThat(result.status).isNotZero();
        assertThat(result.output)
                .contains("Add this to the java command: " + JdkAccess.FLAG)
                .contains("sun.nio.ch.DefaultSelectorProvider is not exported")
                .contains("ClassNotFoundException: sun.reflect.ReflectionFactory")
                .contains("ClassNotFoundException: sun.misc.Unsafe");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void unmapSaysWhatIsMissing(Path jdk) throws Exception {
        Result result = run(jdk, List.of(NO_UNSUPPORTED, EXPORT), "unmap");
        assertThat(result.status).isNotZero();
        assertThat(result.output).contains("must contain the module jdk.unsupported");
    }

    private record Result(int status, String output) {}

    private Result run(Path jdk, List<String> flags, String... args) throws Exception {
        Path log = dir.resolve("out.log");
        Process child = start(jdk, flags, log, args);
        try {
            assertThat(child.waitFor(30, TimeUnit.SECONDS)).as("ends").isTrue();
            return new Result(child.exitValue(), Files.readString(log));
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private static Process start(Path jdk, List<String> flags, Path log, String... args) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(jdk.resolve("bin/java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), JdkAccessProbe.class.getName()));
        command.addAll(List.of(args));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        return builder.start();
    }
}
