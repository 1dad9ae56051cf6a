// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.LiveView;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.harness.ReadableCopy;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.Transfer;
import io.accel.testing.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code accel stats}, and {@code accel capture}, where it matters most: no shared memory is left, or processes of several users run. */
@Timeout(180)
class LiveViewIT {
    @TempDir
    private Path directory;

    private record User(String name, String group) {
        static final User ROOT = new User("root", "root");
        static final User NOBODY = new User("nobody", "nogroup");
        static final User DAEMON = new User("daemon", "daemon");
    }

    @BeforeAll
    static void lookForRoot() {
        assumeTrue(Launch.isAccel(), "is about Accel's own command");
        assumeTrue(
                "root".equals(System.getProperty("user.name")),
                "needs root, to mount a file system and to start processes as other users");
    }

    @Test
    void whereNoMemoryIsLeftItShowsThoseThatHaveTheirsAndThoseThatGetNone() throws IOException, InterruptedException {
        try (SharedDirectory small = SharedDirectory.ofSize("8m");
                Ends first = connect(small.path())) {
            PathEvidence.assertAccelerated(first.port, 1);
            Ballast.fill(small.path());
            try (Ends second = connect(small.path())) {
                PathEvidence.assertKernel(second.port, 1);
                SharedDirectory.awaitStats(small.path(), first.source, first.sink, second.source, second.sink);
                assertThat(Files.getFileStore(small.path()).getUsableSpace()).isZero();

                // A moment later: a connection that falls back has asked for memory first.
                await().atMost(Ends.START).untilAsserted(() -> {
                    List<JsonObject> seen = look(small.path(), User.ROOT, Launch.dropInJar());
                    assertThat(seen)
                            .extracting(LiveView::pid)
                            .containsExactlyInAnyOrder(
                                    first.source.pid(), first.sink.pid(), second.source.pid(), second.sink.pid());
                    for (Child end : List.of(first.source, first.sink)) {
                        assertThat(LiveView.text(LiveView.onlyConnection(seen, end), "path"))
                                .isEqualTo("shm");
                    }
                    JsonObject client = LiveView.onlyConnection(seen, second.sink);
                    assertThat(LiveView.text(client, "path")).isEqualTo("kernel");
                    assertThat(LiveView.text(client, "reason")).isEqualTo("SHM_FULL");
                });
            }
        }
    }

    @Test
    void rootSeesTheProcessesOfAllUsersAndOthersSeeTheirOwn() throws IOException {
        ReadableCopy copy = ReadableCopy.in(directory);
        try (SharedDirectory shared = SharedDirectory.create()) {
            Files.setAttribute(shared.path(), "unix:mode", 01777); // as that of /dev/shm
            try (Child nobodys = listen(shared.path(), copy, User.NOBODY);
                    Child daemons = listen(shared.path(), copy, User.DAEMON)) {
                SharedDirectory.awaitStats(shared.path(), nobodys, daemons);

                List<JsonObject> all = look(shared.path(), User.ROOT, copy.jar());
                assertThat(all)
                        .extracting(process -> LiveView.pid(process) + " of " + LiveView.text(process, "user"))
                        .containsExactlyInAnyOrder(
                                nobodys.pid() + " of " + User.NOBODY.name(),
                                daemons.pid() + " of " + User.DAEMON.name());

                assertThat(look(shared.path(), User.NOBODY, copy.jar()))
                        .extracting(LiveView::pid)
                        .containsExactly(nobodys.pid());
                try (Child other = tool(
                        User.NOBODY,
                        copy.jar(),
                        "stats",
                        "--once",
                        "--dir=" + shared.path(),
                        String.valueOf(daemons.pid()))) {
                    assertThat(other.awaitExit(Ends.START)).isEqualTo(1);
                    assertThat(other.output())
                            .contains("no accelerated JVM of this user with process id " + daemons.pid());
                }
            }
        }
    }

    @Test
    void rootCapturesTheProcessesOfAllUsersAndOthersTheirOwn() throws IOException {
        ReadableCopy copy = ReadableCopy.in(directory);
        try (SharedDirectory shared = SharedDirectory.create()) {
            Files.setAttribute(shared.path(), "unix:mode", 01777); // as that of /dev/shm
            Files.setAttribute(directory, "unix:mode", 01777); // for files of each user's
            try (Child daemons = listen(shared.path(), copy, User.DAEMON)) {
                SharedDirectory.awaitStats(shared.path(), daemons);
                for (User user : List.of(User.DAEMON, User.ROOT)) {
                    try (Child capture = capture(user, copy.jar(), shared.path(), daemons)) {
                        assertThat(capture.awaitExit(Ends.START))
                                .as(capture.output())
                                .isZero();
                        assertThat(captured(user)).isNotEmptyFile();
                        assertThat(Files.getOwner(captured(user)).getName()).isEqualTo(user.name());
                    }
                    String said = "of user " + user.name() + " begins to copy what accelerated paths carry";
                    assertThat(daemons.awaitLine("the log", line -> line.contains(said), Ends.START))
                            .isNotEmpty();
                }
                try (Child capture = capture(User.NOBODY, copy.jar(), shared.path(), daemons)) {
                    assertThat(capture.awaitExit(Ends.START)).isEqualTo(1);
                    assertThat(capture.output())
                            .contains("no accelerated JVM with process id " + daemons.pid())
                            .contains("that this user may capture");
                    assertThat(captured(User.NOBODY)).doesNotExist();
                }
            }
        }
    }

    private Path captured(User by) {
        return directory.resolve(by.name() + ".pcapng");
    }

    private Child capture(User by, Path jar, Path shared, Child process) {
        return tool(
                by,
                jar,
                "capture",
                "--seconds=1",
                "--dir=" + shared,
                "-w",
                captured(by).toString(),
                String.valueOf(process.pid()));
    }

    private static Ends connect(Path shared) {
        return Ends.connect(
                true,
                Side.source().launched(launch -> launch.accel("shm.dir", shared)),
                Side.sink().launched(launch -> launch.accel("shm.dir", shared)));
    }

    private static Child listen(Path shared, ReadableCopy copy, User user) {
        Launch launch =
                Launch.accelerated(Transfer.class, "at=listen", "do=sink").accel("shm.dir", shared);
        Child child = copy.launchedAs(user.name(), user.group(), launch).start("a program of the user " + user.name());
        try {
            long unused = child.awaitNumber("PORT", Ends.START);
            return child;
        } catch (AssertionError e) {
            child.close();
            throw e;
        }
    }

    private static List<JsonObject> look(Path shared, User by, Path jar) {
        return LiveView.of(shared, jar, launch -> launch.as(by.name(), by.group()));
    }

    private static Child tool(User by, Path jar, String... arguments) {
        return LiveView.command(jar, arguments).as(by.name(), by.group()).start("accel " + arguments[0]);
    }
}
