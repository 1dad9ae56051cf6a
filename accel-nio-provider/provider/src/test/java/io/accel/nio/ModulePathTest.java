// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.testing.AccelOptions;
import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import io.accel.testing.ModularProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A program on the module path, which sees Accel's API and nothing else, needs no option for Accel and gets no warning. */
@Timeout(120)
class ModulePathTest {
    private static final Pattern REQUIRED = Pattern.compile(
            "/(config-profiles|accel-core|accel-core/metrics|accel-nio-provider/provider)/target/(?!test)"
                    + "|/com/github/jnr/|/org/ow2/asm/|/io/micrometer/|/io/prometheus/");

    private static final String REQUIRES =
            "requires io.accel.nio; requires io.accel.metrics; requires micrometer.core;";

    private static final String MAIN = """
            package com.example;

            import io.accel.PathInfo;
            import io.accel.metrics.AccelMetrics;
            import io.accel.nio.AccelSocketChannel;
            import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
            import java.net.InetAddress;
            import java.net.InetSocketAddress;
            import java.nio.ByteBuffer;
            import java.nio.channels.ServerSocketChannel;
            import java.nio.channels.SocketChannel;

            public final class Main {
                public static void main(String[] arguments) throws Exception {
                    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
                    SimpleMeterRegistry registry = new SimpleMeterRegistry();
                    new AccelMetrics().bindTo(registry);
                    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                            SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                            SocketChannel server = listener.accept()) {
                        client.write(ByteBuffer.wrap(new byte[7]));
                        ByteBuffer got = ByteBuffer.allocate(7);
                        while (got.hasRemaining()) {
                            server.read(got);
                        }
                        PathInfo path = ((AccelSocketChannel) client).path();
                        double connections = registry.get("accel.connections").tag("path", path.path()).gauges().stream()
                                .mapToDouble(gauge -> gauge.value())
                                .sum();
                        System.out.println(path + " " + connections);
                    }
                }
            }
            """;

    private static final String CHANNEL_UNTIL_TOLD = """
            package com.example;

            import java.nio.channels.SocketChannel;

            public final class Main {
                public static void main(String[] arguments) throws Exception {
                    SocketChannel channel = SocketChannel.open();
                    System.in.read();
                    channel.close();
                }
            }
            """;

    /** Calls a native function in the way that RDMA's classes do; there need not be a device for that. */
    private static final String RDMA = """
            package com.example;

            import java.lang.reflect.InvocationTargetException;

            public final class Main {
                public static void main(String[] arguments) throws Exception {
                    Class<?> verbs = (Class<?>) Class.forName("io.accel.core.fabric.rdma.bootstrap.RdmaClasses")
                            .getMethod("load", String.class)
                            .invoke(null, "io.accel.core.fabric.rdma.verbs.Verbs");
                    try {
                        System.out.println(verbs.getMethod("statusText", int.class).invoke(null, 0));
                    } catch (InvocationTargetException e) {
                        Object reason = e.getCause().getClass().getMethod("reason").invoke(e.getCause());
                        System.out.println(reason + " " + e.getCause().getMessage());
                    }
                }
            }
            """;

    @TempDir
    private Path dir;

    @Test
    void connectionsAreAcceleratedAndMeasured() throws Exception {
        assertThat(accelerated().run().orderly()).contains("shm 2.0\n").doesNotContain("WARNING");
    }

    @Test
    @EnabledIfSystemProperty(named = "newer.jdk", matches = ".+", disabledReason = "needs -Dnewer.jdk")
    void onTheNewerJdkToo() throws Exception {
        ChildJvm jvm = accelerated().on(Path.of(System.getProperty("newer.jdk")));
        assertThat(jvm.run().orderly()).contains("shm 2.0\n").doesNotContain("WARNING");
    }

    /** The program does not require the module that has the page. */
    @Test
    void thePageOfMetricsIsServed() throws Exception {
        ChildJvm jvm = ModularProgram.compile(dir, REQUIRED, "requires io.accel.nio;", CHANNEL_UNTIL_TOLD)
                .jvm()
                .with("-Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider")
                .with("-Daccel.metrics=prometheus:127.0.0.1:0", "--add-modules", "io.prometheus.writer.text");
        try (Child child = jvm.start()) {
            child.awaitLine(
                    "the page",
                    line -> line.matches(".*accel: metrics are at http://127\\.0\\.0\\.1:\\d+/metrics"),
                    Duration.ofSeconds(30));
        }
    }

    private ChildJvm accelerated() throws Exception {
        return ModularProgram.compile(dir, REQUIRED, REQUIRES, MAIN)
                .jvm()
                .with("-Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider")
                .with(AccelOptions.AT_ONCE);
    }

    @Test
    void rdmasLibrariesAreCalled() throws Exception {
        String said = ModularProgram.compile(dir, REQUIRED, "requires io.accel.nio;", RDMA)
                .jvm()
                .with("--add-exports", "io.accel.core/io.accel.core.fabric.rdma.bootstrap=com.example.program")
                .run()
                .orderly();
        assertThat(said).matches("(success|NO_LIBRARY (?!jnr).*)\n");
    }

    @Test
    void internalPackagesAreNotVisible() {
        String main = "package com.example; class Main { io.accel.core.poll.Poller poller; }";
        assertThatThrownBy(() -> ModularProgram.compile(dir, REQUIRED, REQUIRES, main))
                .hasMessageContaining("package io.accel.core.poll is not visible");
    }
}
