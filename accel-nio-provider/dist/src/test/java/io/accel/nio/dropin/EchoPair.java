// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.awaitility.Awaitility.await;

import io.accel.testing.AccelOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Two JVMs, each an {@link EchoPeer} or a {@link DatagramEchoPeer}, in a shared directory of their own. Closing it ends them. */
final class EchoPair implements AutoCloseable {
    static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    final Path shared;
    final Child server;
    final Child client;
    final String port;

    private final Path dir;

    /** A pair that has exchanged so many messages, with the children's output in a directory. */
    EchoPair(Path dir, int echoes) throws IOException {
        this(dir, echoes, EchoPeer.class);
    }

    /** Like the other method, for a program with the arguments of {@link EchoPeer}. */
    EchoPair(Path dir, int echoes, Class<?> program) throws IOException {
        this.dir = dir;
        shared = Files.createTempDirectory(Path.of("/dev/shm"), "it");
        server = Child.start(dir, program(program, "listen"));
        port = server.awaitRest("PORT ");
        client = Child.start(dir, program(program, "connect", port));
        echo(echoes);
        await("places at which the two can be looked at, which they make when they are a second old")
                .atMost(30, TimeUnit.SECONDS)
                .until(() -> isSeen(server) && isSeen(client));
    }

    private boolean isSeen(Child process) throws IOException {
        try (Stream<Path> places = Files.list(shared)) {
            return places.anyMatch(
                    place -> place.getFileName().toString().startsWith("accel-stats-" + process.pid() + "-"));
        }
    }

    /** Exchanges so many more. */
    void echo(int echoes) throws IOException {
        client.send(String.valueOf(echoes));
        client.awaitOutput("DONE " + echoes);
    }

    /** Starts {@code accel} with arguments, about these two. */
    Child accel(String... arguments) throws IOException {
        return Child.start(dir, command(arguments));
    }

    /** The command line of {@link #accel}. */
    List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(JAVA, "-jar", Child.JAR.toString()));
        command.addAll(List.of(arguments));
        command.add("--dir=" + shared);
        return command;
    }

    private List<String> program(Class<?> program, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(JAVA, Child.PROVIDER, "-cp", Child.JAR + ":" + Child.testClasses()));
        command.addAll(AccelOptions.atOnceIn(shared));
        command.add(program.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
        // Kills them, so that they leave their files behind.
        try (Stream<Path> left = Files.walk(shared)) {
            for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
