package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrphanedFilesTest {
    private static final Duration AGE = Duration.ofMillis(200);

    @TempDir
    private Path directory;

    private Path file(String name, Duration age) throws IOException {
        Path file = Files.createFile(directory.resolve(name));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
        return file;
    }

    @Test
    void oldFilesGoWhenALaterClientComes() throws IOException {
        Path old = file(Hello.FILE_PREFIX + "1", Duration.ofHours(1));
        Path socket = file(RendezvousPath.SOCKET, Duration.ofHours(1));
        OrphanedFiles orphans = new OrphanedFiles(directory, AGE);
        orphans.suspect();
        orphans.clientCame();
        assertThat(old).as("too soon after the suspicion").exists();
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            orphans.clientCame();
            assertThat(old).doesNotExist();
        });
        assertThat(socket).exists();
    }

    @Test
    void aYoungFileStaysUntilItIsOld() throws IOException {
        Path young = file(Hello.FILE_PREFIX + "2", Duration.ofSeconds(-3));
        Path old = file(Hello.FILE_PREFIX + "1", Duration.ofHours(1));
        OrphanedFiles orphans = new OrphanedFiles(directory, AGE);
        orphans.suspect();
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            orphans.clientCame();
            assertThat(old).doesNotExist();
        });
        assertThat(young).exists();
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            orphans.clientCame();
            assertThat(young).doesNotExist();
        });
    }

    @Test
    void withoutASuspicionNothingIsLookedAt() throws IOException {
        Path old = file(Hello.FILE_PREFIX + "1", Duration.ofHours(1));
        OrphanedFiles orphans = new OrphanedFiles(directory, Duration.ZERO);
        orphans.clientCame();
        assertThat(old).exists();
    }
}
