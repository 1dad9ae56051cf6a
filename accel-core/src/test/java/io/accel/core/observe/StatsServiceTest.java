// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("try") // some resources are only held
class StatsServiceTest {
    private static final CaptureSource NONE = (request, user, sink) -> null;

    @TempDir
    private Path dir;

    @Test
    void aSampleComesWhenItIsAskedFor() throws Exception {
        try (StatsService service = StatsService.open(dir, "latency", NONE);
                ObservedProcess process = open()) {
            ProcessSample sample = process.sample();
            assertThat(sample.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(ObservedProcess.pidOf(process.directory())).isEqualTo(sample.pid());
            assertThat(sample.profile()).isEqualTo("latency");
            assertThat(sample.figures()).containsKeys("poll.turns", "memory.registered");
            assertThat(sample.host())
                    .isEqualTo(Files.readString(Path.of("/proc/sys/kernel/hostname"))
                            .strip());
            assertThat(process.user()).isEqualTo(Files.getOwner(dir).getName());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(process.directory())))
                    .isEqualTo("rwx------");

            ProcessCounters.dropped(Drop.DATAGRAM);
            ProcessSample later = process.sample();
            assertThat(later.since(sample).sum("drops.datagram")).isEqualTo(1);
            assertThat(later.takenNanos()).isGreaterThan(sample.takenNanos());
        }
    }

    @Test
    void severalMayLookAtTheSameTimeAndNoneLeavesAFile() throws Exception {
        try (StatsService service = StatsService.open(dir, "balanced", NONE)) {
            try (ObservedProcess one = open();
                    ObservedProcess other = open()) {
                assertThat(one.sample()).isNotNull();
                assertThat(other.sample()).isNotNull();
                other.close();
                assertThat(one.sample()).isNotNull();
                try (Stream<Path> files = Files.list(one.directory())) {
                    assertThat(files).containsExactly(one.directory().resolve("s"));
                }
            }
            try (ObservedProcess again = open()) {
                assertThat(again.sample()).isNotNull();
            }
        }
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void whatTheDeadLeftBehindIsIgnoredAndRemoved() throws Exception {
        Path dead = Files.createDirectory(dir.resolve("accel-stats-1-abc"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(dead.resolve("s")));
        }
        Path fresh = Files.createDirectory(dir.resolve("accel-stats.new-2-abc"));
        Path unfinished = Files.createDirectory(dir.resolve("accel-stats.new-3-abc"));
        Files.setLastModifiedTime(unfinished, FileTime.from(Instant.now().minusSeconds(100)));
        try (StatsService service = StatsService.open(dir, "balanced", NONE)) {
            await().until(() -> Files.notExists(dead) && Files.notExists(unfinished));
            assertThat(fresh).as("perhaps just starting").exists();
        }
    }

    @Test
    void whoFindsADeadOneRemovesIt() throws Exception {
        Path dead = Files.createDirectory(dir.resolve("accel-stats-1-abc"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(dead.resolve("s")));
        }
        assertThat(ObservedProcess.find(dir)).containsExactly(dead);
        assertThat(ObservedProcess.open(dead)).isNull();
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void aProcessThatDoesNotAnswerIsSaidToBeStopped() throws Exception {
        Path stopped = Files.createDirectory(dir.resolve("accel-stats-7-abc"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(stopped.resolve("s")));
            try (ObservedProcess process = ObservedProcess.open(stopped)) {
                assertThatThrownBy(process::sample)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("accel-stats-7-abc does not answer");
            }
        }
    }

    @Test
    void aSampleThatComesLateIsTakenTheNextTime() throws Exception {
        Path stopped = Files.createDirectory(dir.resolve("accel-stats-7-abc"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(stopped.resolve("s")));
            try (ObservedProcess process = ObservedProcess.open(stopped);
                    SocketChannel answering = socket.accept()) {
                byte[] sample = SampleCodec.encode(sample(2_000));
                // In two parts; the first ends in the middle of the sample.
                answering.write(ByteBuffer.allocate(5)
                        .putInt(sample.length)
                        .put(sample[0])
                        .flip());
                assertThatThrownBy(process::sample).isInstanceOf(IOException.class);
                Thread writer = new Thread(() -> {
                    try {
                        ByteBuffer rest = ByteBuffer.wrap(sample, 1, sample.length - 1);
                        while (rest.hasRemaining()) {
                            answering.write(rest);
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                writer.start();
                assertThat(SampleCodec.encode(process.sample())).isEqualTo(sample);
                writer.join();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, Integer.MAX_VALUE})
    void anAnswerThatIsNonsenseIsAnErrorAndNothingElse(int length) throws Exception {
        Path strange = Files.createDirectory(dir.resolve("accel-stats-7-abc"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(strange.resolve("s")));
            try (ObservedProcess process = ObservedProcess.open(strange);
                    SocketChannel answering = socket.accept()) {
                answering.write(ByteBuffer.allocate(4).putInt(length).flip());
                assertThatThrownBy(process::sample)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("accel-stats-7-abc");
            }
        }
    }

    @Test
    void aSampleThatIsCutIsAnErrorAndNothingElse() {
        byte[] sample = SampleCodec.encode(ProcessSample.take("x"));
        for (int i = 0; i < sample.length; i++) {
            byte[] cut = java.util.Arrays.copyOf(sample, i);
            assertThatThrownBy(() -> SampleCodec.decode(cut)).isInstanceOf(IOException.class);
        }
    }

    private static ProcessSample sample(int size) {
        Figures figures = new Figures();
        for (Figure figure : Figure.values()) {
            figures.add(figure, figure.name().hashCode());
        }
        ConnectionSample connection = new ConnectionSample(
                1, "client", "shm", "", "\u00e4\u20ac", "established", "127.0.0.1:1", "[::1]:2", 3, 4, 5, 6, figures);
        List<ConnectionSample> many = java.util.Collections.nCopies(size, connection);
        return new ProcessSample(9, "host", "main", "off", 1, 2, 3, Map.of("poll.turns", Long.MAX_VALUE), many, 17);
    }

    private ObservedProcess open() {
        return await().until(
                        () -> {
                            for (Path directory : ObservedProcess.find(dir)) {
                                ObservedProcess process = ObservedProcess.open(directory);
                                if (process != null) {
                                    return process;
                                }
                            }
                            return null;
                        },
                        process -> process != null);
    }
}
