// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import io.accel.core.jdk.JdkAccess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A connection's file cannot be made: the reason is true, and its advice helps. */
@Timeout(60)
class SharedFileTest {
    private static final String LARGER = "make it larger";

    @TempDir
    private Path shm;

    private Path listener;
    private boolean mounted;

    @BeforeEach
    void makeDirectory() throws IOException {
        listener = Files.createDirectory(shm.resolve("listener"));
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            assertThat(run("umount", shm.toString())).isEmpty();
        }
    }

    private Path file() {
        return listener.resolve("ring-1");
    }

    private MappedByteBuffer create() throws FallbackException {
        return SharedFile.create(file(), ShmEnds.RING, 1, "");
    }

    /** Returns its complaint; nothing if there is none. */
    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String complaint = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? "" : command[0] + " failed: " + complaint;
    }

    private void mount(String options) throws Exception {
        String complaint = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", shm.toString());
        mounted = complaint.isEmpty();
        assumeTrue(mounted, "needs the right to mount a tmpfs: " + complaint);
        Files.createDirectory(listener);
    }

    @Test
    void aThreadThatIsInterruptedMakesItNoneTheLess() throws Exception {
        Thread.currentThread().interrupt();
        MappedByteBuffer map;
        boolean still;
        try {
            map = create();
        } finally {
            still = Thread.interrupted();
        }
        JdkAccess.unmap(map);
        assertThat(still).as("for what it waits for next").isTrue();
        Thread.currentThread().interrupt();
        try {
            map = SharedFile.open(file(), RawClient.hello(1));
        } finally {
            still = Thread.interrupted();
        }
        JdkAccess.unmap(map);
        assertThat(still).isTrue();
        assertThat(listener).isEmptyDirectory();
    }

    @Test
    void interruptsThatComeMeanwhileDoNotKeepItFromBeingMade() throws Exception {
        Thread maker = Thread.currentThread();
        try (Repeated interrupts = new Repeated(maker::interrupt)) {
            for (int i = 0; i < 200; i++) {
                JdkAccess.unmap(create());
                SharedFile.delete(file());
            }
            assertThat(interrupts.count()).isPositive();
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    /** Does something again and again in another thread until it is closed. */
    private static final class Repeated implements AutoCloseable {
        /** Often, and not so often that nothing gets done between two of them. */
        private static final long PAUSE_NANOS = 100_000;

        private final Thread thread;
        private volatile boolean over;
        private volatile int count;

        Repeated(Runnable what) {
            thread = new Thread(
                    () -> {
                        int done = 0;
                        while (!over) {
                            what.run();
                            count = ++done;
                            LockSupport.parkNanos(PAUSE_NANOS);
                        }
                    },
                    "again and again");
            thread.setDaemon(true);
            thread.start();
        }

        int count() {
            return count;
        }

        @Override
        public void close() {
            over = true;
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void aFullFileSystemIsToBeMadeLarger() throws Exception {
        mount("mode=0700,size=16k");
        FallbackException e = Fallbacks.of(this::create);
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_FULL);
        assertThat(e).hasMessageContaining("in " + shm + " failed").hasMessageContaining(LARGER);
        assertThat(e.isPassing()).isTrue();
        assertThat(listener).isEmptyDirectory();
    }

    @Test
    void oneThatIsReadOnlyIsToBeMountedForWriting() throws Exception {
        mount("mode=0700");
        assertThat(run("mount", "-o", "remount,ro", shm.toString())).isEmpty();
        FallbackException e = Fallbacks.of(this::create);
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        assertThat(e).hasMessageContaining("read-only, so mount it for writing");
        assertThat(e.getMessage()).doesNotContain(LARGER);
    }

    @Test
    void whoHasNoRightThereIsToldSo() throws Exception {
        assumeTrue(AsUser.isPossible(), "needs root");
        Files.setPosixFilePermissions(shm, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(listener, PosixFilePermissions.fromString("rwxr-xr-x"));
        FallbackException e = Fallbacks.of(() -> AsUser.call(AsUser.NOBODY, AsUser.NOBODY, this::create));
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        assertThat(e).hasMessageContaining("AccessDeniedException").hasMessageContaining("make files there");
        assertThat(e.getMessage()).doesNotContain(LARGER);
    }

    @Test
    void aGroupThatThereIsNotIsNamed() {
        FallbackException e;
        do { // a name service may be slow, and is asked anew some seconds after its last answer
            e = Fallbacks.of(() -> SharedFile.create(file(), ShmEnds.RING, 1, "no-such-group"));
        } while (e.isPassing());
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        assertThat(e).hasMessageContaining("this system has no group 'no-such-group' (shm.group)");
        assertThat(e.getMessage()).doesNotContain(LARGER);
        assertThat(listener).isEmptyDirectory();
    }

    @Test
    void aProcessWithoutDescriptorsIsToRaiseItsLimit() throws Exception {
        // Loading classes needs descriptors, and a class that could not be loaded is missing from then on.
        aGroupThatThereIsNotIsNamed();
        assertThat(FileFailure.of(new IOException("anything"), file(), 1).reason())
                .isEqualTo(FallbackReason.SHM_DIR);
        assertThat(Shortage.of(FallbackReason.NO_RESOURCES, "none").isPassing()).isTrue();
        FallbackException e;
        try (NoDescriptors none = new NoDescriptors()) {
            assumeTrue(none.isSo(), "needs prlimit");
            e = fallback();
        }
        assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES);
        assertThat(e).hasMessageContaining("so raise its limit of open files (ulimit -n)");
        assertThat(e.getMessage()).doesNotContain(LARGER);
        assertThat(e.isPassing()).isTrue();
        JdkAccess.unmap(create());
    }

    private FallbackException fallback() {
        try {
            JdkAccess.unmap(create());
            throw new AssertionError("there was a descriptor");
        } catch (FallbackException e) {
            return e;
        }
    }

    /** As long as it is open, nothing can be opened in this process. */
    private static final class NoDescriptors implements AutoCloseable {
        private final Process shell;
        private final boolean isSo;

        NoDescriptors() throws IOException {
            long self = ProcessHandle.current().pid();
            shell = new ProcessBuilder(
                            "sh",
                            "-c",
                            "before=$(prlimit --pid " + self + " --nofile --noheadings --output SOFT | tr -d ' ')"
                                    + " && prlimit --pid " + self + " --nofile=0: && echo none && read word;"
                                    + " prlimit --pid " + self + " --nofile=$before:")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader said = shell.inputReader();
            isSo = "none".equals(said.readLine());
        }

        boolean isSo() {
            return isSo;
        }

        @Override
        public void close() throws IOException {
            shell.getOutputStream().close();
            Process over = shell.onExit().orTimeout(20, TimeUnit.SECONDS).join();
            assertThat(over.exitValue()).isZero();
        }
    }
}
