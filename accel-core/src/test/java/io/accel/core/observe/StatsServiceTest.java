package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("try") // some resources are only held
class StatsServiceTest {
    @TempDir
    private Path dir;

    @Test
    void aSampleComesWhenItIsAskedFor() throws Exception {
        try (StatsService service = StatsService.open(dir, "latency");
                ObservedProcess process = open()) {
            Path file = process.directory().resolve("figures");
            assertThat(file).doesNotExist();
            ProcessSample sample = process.sample();
            assertThat(sample.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(ObservedProcess.pidOf(process.directory())).isEqualTo(sample.pid());
            assertThat(sample.profile()).isEqualTo("latency");
            assertThat(sample.figures()).containsKeys("poll.turns", "memory.registered");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(process.directory())))
                    .isEqualTo("rwx------");

            ProcessCounters.dropped(Drop.DATAGRAM);
            ProcessSample later = process.sample();
            assertThat(later.since(sample).sum("drops.datagram")).isEqualTo(1);
            assertThat(later.takenNanos()).isGreaterThan(sample.takenNanos());
        }
    }

    @Test
    void theFileIsThereOnlyWhileSomebodyLooks() throws Exception {
        try (StatsService service = StatsService.open(dir, "balanced")) {
            Path file;
            try (ObservedProcess one = open();
                    ObservedProcess other = open()) {
                file = one.directory().resolve("figures");
                assertThat(one.sample()).isNotNull();
                assertThat(other.sample()).isNotNull();
                other.close();
                assertThat(one.sample()).isNotNull();
                assertThat(file).exists();
            }
            await().until(() -> Files.notExists(file));
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
        try (StatsService service = StatsService.open(dir, "balanced")) {
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
    void everySampleSurvivesTheFile() throws Exception {
        Figures figures = new Figures();
        for (Figure figure : Figure.values()) {
            figures.add(figure, figure.name().hashCode());
        }
        ConnectionSample connection = new ConnectionSample(
                1, "client", "shm", "", "\u00e4\u20ac", "established", "127.0.0.1:1", "[::1]:2", 3, 4, 5, 6, figures);
        List<ConnectionSample> many = java.util.Collections.nCopies(2_000, connection);
        ProcessSample sample =
                new ProcessSample(9, "main", "off", 1, 2, 3, Map.of("poll.turns", Long.MAX_VALUE), many, 17);
        Path path = dir.resolve("figures");
        try (StatsFile writer = new StatsFile(path);
                StatsFile reader = new StatsFile(path)) {
            writer.write(SampleCodec.encode(sample));
            ProcessSample read = SampleCodec.decode(reader.read());
            assertThat(read).usingRecursiveComparison().isEqualTo(sample);
            writer.write(new byte[] {1}); // shorter
            assertThat(reader.read()).containsExactly(1);
        }
    }

    @Test
    void aDamagedFileIsAnErrorAndNothingElse() throws Exception {
        Path path = dir.resolve("figures");
        try (StatsFile writer = new StatsFile(path);
                StatsFile reader = new StatsFile(path)) {
            writer.write(new byte[] {1});
            for (int length : new int[] {-1, 0, 1 << 30}) {
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    channel.write(
                            ByteBuffer.allocate(4)
                                    .order(java.nio.ByteOrder.nativeOrder())
                                    .putInt(0, length),
                            16);
                }
                assertThatThrownBy(reader::read).isInstanceOf(IOException.class).hasMessageContaining("damaged");
            }
        }
        byte[] sample = SampleCodec.encode(ProcessSample.take("x"));
        for (int i = 0; i < sample.length; i++) {
            byte[] cut = java.util.Arrays.copyOf(sample, i);
            assertThatThrownBy(() -> SampleCodec.decode(cut)).isInstanceOf(IOException.class);
        }
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
