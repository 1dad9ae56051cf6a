// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.ObservedProcess;
import io.accel.testing.AccelOptions;
import io.accel.testing.ChildJvm;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that has Accel only through the transport can be observed like any other. */
class ObservedProgramTest {
    @TempDir
    private Path shared;

    @Test
    void metricsAndStats() throws Exception {
        String output = new ChildJvm(Program.class)
                .with("-Daccel.metrics=jmx", "-Daccel.shm.dir=" + shared)
                .run()
                .output();
        assertThat(output).contains("to be seen by accel stats", "in JMX");
    }

    /** The order and the number of adapters do not matter: the process has one start line, page, bean and directory. */
    @Test
    void allAdaptersAreOneProgram() throws Exception {
        String output = new ChildJvm(AllAdapters.class)
                .with(
                        "-Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider",
                        "-Djava.nio.channels.spi.AsynchronousChannelProvider=io.accel.nio.AccelAsynchronousChannelProvider",
                        "-Daccel.metrics=prometheus:127.0.0.1:0,jmx",
                        "-Daccel.fabric.order=shm")
                .with(AccelOptions.atOnceIn(shared))
                .run()
                .orderly();
        assertThat(output).contains("start lines: 1\n", "pages: 1\n", "beans: 1\n", "processes to look at: 1\n");
    }

    /** Connects by each of them to a listener of the provider's. */
    static final class AllAdapters {
        private static final Logger LOGGER = Logger.getLogger("io.accel"); // an unreferenced connection would be gone
        private static final Queue<String> LINES = new ConcurrentLinkedQueue<>();
        private static final Pattern PAGE = Pattern.compile("accel: metrics are at (http://.*)");
        private static final Pattern OPENED =
                Pattern.compile("(?m)^accel_connections_opened_total\\{.*role=\"client\".*\\} (\\S+)$");
        private static final int CLIENTS = 3;
        private static final int LIMIT_SECONDS = 20;

        private AllAdapters() {}

        @SuppressWarnings("try") // the connections are only held
        public static void main(String[] args) throws Exception {
            LOGGER.addHandler(new Keeping());
            Path shared = Path.of(System.getProperty("accel.shm.dir"));
            MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
            try (ServerSocketChannel listener = ServerSocketChannel.open()
                            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    SocketChannel channel = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel first = listener.accept();
                    AsynchronousSocketChannel asynchronous = AsynchronousSocketChannel.open()) {
                asynchronous.connect(listener.getLocalAddress()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
                Channel netty = new Bootstrap()
                        .group(loops)
                        .channel(AccelSocketChannel.class)
                        .handler(new ChannelInboundHandlerAdapter())
                        .connect(listener.getLocalAddress())
                        .sync()
                        .channel();
                try (SocketChannel second = listener.accept();
                        SocketChannel third = listener.accept()) {
                    await(() -> count(AllAdapters::isOfStart) > 0
                            && count(PAGE.asMatchPredicate()) > 0
                            && !beans().isEmpty());
                    await(() -> !isAnyMetricsStarting() && opened() == CLIENTS);
                    await(() -> !ObservedProcess.find(shared).isEmpty() && seen(shared) == 2 * CLIENTS);
                    System.out.println("start lines: " + count(AllAdapters::isOfStart));
                    System.out.println("pages: " + count(PAGE.asMatchPredicate()));
                    System.out.println("beans: " + beans().size());
                    System.out.println("processes to look at: "
                            + ObservedProcess.find(shared).size());
                }
                netty.close().sync();
            } finally {
                loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
            }
        }

        private static void await(Callable<Boolean> state) {
            Awaitility.await().atMost(LIMIT_SECONDS, TimeUnit.SECONDS).until(state);
        }

        private static long count(Predicate<String> wanted) {
            return LINES.stream().filter(wanted).count();
        }

        private static boolean isOfStart(String line) {
            return line.contains(", profile ");
        }

        private static Set<ObjectName> beans() throws JMException {
            return ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName("io.accel:*"), null);
        }

        /** Another page that somebody begins to serve. */
        private static boolean isAnyMetricsStarting() {
            return Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().equals("accel-metrics-start"));
        }

        /** The connections' ends that accel stats shows. */
        private static int seen(Path shared) throws IOException {
            try (ObservedProcess process =
                    ObservedProcess.open(ObservedProcess.find(shared).get(0))) {
                return process.sample().connections().size();
            }
        }

        /** The clients' connections on the page. */
        private static double opened() throws IOException {
            String address = LINES.stream()
                    .map(PAGE::matcher)
                    .filter(Matcher::matches)
                    .map(page -> page.group(1))
                    .findFirst()
                    .orElseThrow();
            try (InputStream in = URI.create(address).toURL().openStream()) {
                return OPENED.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .results()
                        .mapToDouble(opened -> Double.parseDouble(opened.group(1)))
                        .sum();
            }
        }

        /** Has what the log says. */
        private static final class Keeping extends Handler {
            private final SimpleFormatter formatter = new SimpleFormatter();

            @Override
            public void publish(LogRecord record) {
                LINES.add(formatter.formatMessage(record));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        }
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            Accel.ensureAvailability();
            Path shared = Path.of(System.getProperty("accel.shm.dir"));
            Awaitility.await().until(() -> !ObservedProcess.find(shared).isEmpty());
            System.out.println("to be seen by accel stats");
            ObjectName all = new ObjectName("io.accel:*");
            Set<ObjectName> found = Awaitility.await()
                    .until(
                            () -> ManagementFactory.getPlatformMBeanServer().queryNames(all, null),
                            names -> !names.isEmpty());
            System.out.println("in JMX: " + found);
        }
    }
}
