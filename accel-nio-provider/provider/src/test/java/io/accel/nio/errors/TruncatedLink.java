// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.nio.AccelSelectorProvider;
import io.accel.nio.GuisedProvider;
import io.accel.profile.Profile;
import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import io.accel.testing.DirectoryContent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A client that truncates the file of one of its connections to a server in another process, once for each way in which that waits. */
final class TruncatedLink implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** The words of both ends, without the rings. */
    private static final long WORDS_ALONE = 4096;

    private final Path dir;
    private Child server;
    /** The file of the latest connection, which the server has had no time to unlink before it was opened here. */
    private volatile FileChannel file;

    private TruncatedLink() throws IOException {
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("/tmp");
        dir = Files.createTempDirectory(parent, "accel-test-");
    }

    public static void main(String[] args) throws Exception {
        for (Echo.Way way : Echo.Way.values()) {
            for (long left : new long[] {0, WORDS_ALONE}) {
                try (TruncatedLink one = new TruncatedLink()) {
                    one.endsOneConnection(way, left);
                }
                System.out.println("ended one connection: " + way + ", " + left + " bytes left");
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
        if (file != null) {
            file.close();
        }
        DirectoryContent.remove(dir);
    }

    private Map<String, String> settings() {
        return Map.of(
                "shm.dir", dir.toString(),
                "fabric.order", "shm",
                "handover.after", "connect",
                "connect.probe-timeout", "60s", // the server stands still for a moment
                "handshake.timeout", "60s",
                "handover.idle", "forever",
                "ring.initial", "16KiB",
                "ring.size", "16KiB");
    }

    private void endsOneConnection(Echo.Way way, long left) throws Exception {
        List<String> options = new ArrayList<>(List.of("-Daccel.profile=balanced"));
        settings().forEach((key, value) -> options.add("-Daccel." + key + "=" + value));
        server = new ChildJvm(EchoProgram.class).with(options).start(way.name());
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), (int) server.awaitNumber("port", PATIENCE));
        AccelSelectorProvider provider = GuisedProvider.open(Profile.load("balanced", settings()), this::holding);
        try (Conversation.Beside victim = new Conversation.Beside(provider, address)) {
            victim.goOn();
            FileChannel victims = file;
            assertThat(victims).as("the victim's file").isNotNull();
            try (Conversation.Beside beside = new Conversation.Beside(provider, address)) {
                beside.goOn();
                assertThat(file).as("the file of the connection beside").isNotSameAs(victims);
                victim.keepGoing(); // so that either end may be the first to touch what is gone
                victims.truncate(left);
                assertThat(victim.failure(60, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
                victim.hangUp();
                await("the end of the connection at the server")
                        .atMost(PATIENCE)
                        .until(() -> status().equals("status: closed 1, surprised []"));
                beside.goOn();
                assertThat(Conversation.with(provider, address, () -> true)).isNull();
                assertThat(status()).isEqualTo("status: closed 1, surprised []");
                beside.goOn();
                file.close();
            }
        }
        server.closeInput();
        assertThat(server.awaitExit(PATIENCE)).isZero();
        assertThat(server.output()).doesNotContain("SIGBUS");
    }

    private String status() {
        server.send("");
        return server.awaitLine("status", PATIENCE);
    }

    /** Stands before a fabric, and opens the file of each connection that this process asks for. */
    private Fabric holding(Fabric fabric) {
        return over(
                Fabric.class,
                fabric,
                (inner, result) ->
                        result instanceof Connecting handshake ? over(Connecting.class, handshake, null) : result);
    }

    private interface Change {
        Object of(Object inner, Object result);
    }

    private <T> T over(Class<T> type, T inner, Change change) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("advance")) {
                        return advance((Connecting) inner);
                    }
                    try {
                        Object result = method.invoke(inner, arguments);
                        return change == null ? result : change.of(inner, result);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Goes on with a handshake while the server stands still, so that a file that is made is still there. */
    private Link advance(Connecting handshake) throws FallbackException {
        server.signal("STOP");
        await("the server's standstill").pollInterval(Duration.ofMillis(1)).until(this::isServerStopped);
        try {
            Link link = handshake.advance();
            openFile();
            return link;
        } finally {
            server.signal("CONT");
        }
    }

    /** Whether each of its threads has stopped: the signal takes a moment to reach those that run. */
    private boolean isServerStopped() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", server.pid() + "", "task"))) {
            for (Path each : threads.toList()) {
                String stat = Files.readString(each.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
        }
        return true;
    }

    private void openFile() {
        try {
            for (Path each : DirectoryContent.of(dir)) {
                if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                    file = FileChannel.open(each, StandardOpenOption.WRITE);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
