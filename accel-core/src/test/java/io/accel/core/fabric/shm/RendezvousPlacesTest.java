// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A search looks at what its own user has, and others cannot make that more, or take its place for good. */
@Timeout(60)
@SuppressWarnings("try") // some resources are only held
class RendezvousPlacesTest {
    private ShmEnds ends;

    @BeforeEach
    void open() throws IOException {
        ends = new ShmEnds();
    }

    @AfterEach
    void close() throws IOException {
        ends.close();
    }

    private Path own(String suffix) {
        return ends.dir.resolve("accel-" + Ownership.self() + suffix);
    }

    private static void meet(ShmConfig config, String host) throws Exception {
        ShmFabric fabric = new ShmFabric(config);
        ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);
        try (var listening = fabric.listen(ShmEnds.address(host), acceptor)) {
            ShmEnds.finish(fabric.connect(ShmEnds.address(host), ShmEnds.source(), ShmEnds.RING))
                    .free();
            acceptor.next().link().free();
        }
    }

    private static int permissions(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
    }

    @Test
    void thePlaceOfAUserIsTheUsersAloneAndGoesWithItsLastListener() throws Exception {
        try (var first = ends.fabric().listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1))) {
            try (var second = ends.fabric().listen(ShmEnds.address("127.0.0.2"), new ShmEnds.Acceptor(1))) {
                assertThat(permissions(own(""))).isEqualTo(0755);
                assertThat(permissions(ends.rendezvous("127.0.0.2"))).isEqualTo(0700);
            }
            assertThat(own("")).isDirectory();
        }
        assertThat(ends.dir).isEmptyDirectory();
    }

    /** Names are no less a way to ask for a group than numbers, and members keep apart. */
    /** The last listener of one process goes while another process is making the place anew. */
    @Test
    void aPlaceThatGoesMeanwhileIsMadeAgain() throws Exception {
        ShmConfig config = ends.config();
        List<FutureTask<Void>> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String name = "accel-" + i;
            FutureTask<Void> process = new FutureTask<>(() -> {
                for (int round = 0; round < 2_000; round++) {
                    RendezvousPlaces.remove(RendezvousPlaces.make(config, name));
                }
                return null;
            });
            processes.add(process);
            new Thread(process, name).start();
        }
        for (FutureTask<Void> process : processes) {
            process.get(50, TimeUnit.SECONDS);
        }
        assertThat(own("")).doesNotExist();
    }

    @Test
    void thePlaceOfAGroupIsForItsMembersAndKeepsThemApart() throws Exception {
        long number = Ownership.of(ends.dir).group();
        String name = Files.getAttribute(ends.dir, "posix:group").toString();
        for (String group : List.of(name, Long.toString(number))) {
            ShmConfig config = new ShmConfig(ends.dir, group, 20_000_000_000L, 1_000_000_000L);
            try (var listening = new ShmFabric(config).listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1))) {
                assertThat(permissions(ends.dir.resolve("accel-g" + number))).isEqualTo(01775);
            }
            meet(config, "127.0.0.2");
        }
        assertThat(ends.dir).isEmptyDirectory();
    }

    /** A name may be another user's, be no directory, or lie open to others. */
    @ParameterizedTest
    @ValueSource(strings = {"file", "link", "open", "other"})
    void aNameThatIsTakenIsReplacedAndNotUsed(String taken) throws Exception {
        Path first = own("");
        switch (taken) {
            case "file" -> Files.createFile(first);
            case "link" -> Files.createSymbolicLink(first, Path.of("/tmp"));
            case "open" -> Files.setAttribute(Files.createDirectory(first), "unix:mode", 0777);
            default -> {
                assumeTrue(AsUser.isPossible(), "needs root, to give files away");
                Files.setAttribute(Files.createDirectory(first), "unix:uid", AsUser.NOBODY);
            }
        }
        meet(ends.config(), "127.0.0.1");
        assertThat(first).exists();
        try (var listening = ends.fabric().listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1))) {
            assertThat(own(".1")).isDirectory();
            // The name is given back, and another listener takes it: clients look at both places.
            Files.delete(first);
            meet(ends.config(), "127.0.0.2");
            meet(ends.config(), "127.0.0.2");
            assertThat(Fallbacks.of(() -> ends.begin("127.0.0.3")).reason())
                    .isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            ends.begin("127.0.0.1").abort();
        }
    }

    @Test
    void whereAllNamesAreTakenTheReasonSaysSo() throws Exception {
        for (String suffix : List.of("", ".1", ".2", ".3", ".4", ".5", ".6", ".7")) {
            Files.createFile(own(suffix));
        }
        FallbackException e =
                Fallbacks.of(() -> ends.fabric().listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1)));
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        assertThat(e).hasMessageContaining(own("") + " and the names that could replace it are taken");
    }

    /** Why there is no link is told as far as it can be seen; looking for that has a limit. */
    @Test
    void anotherUsersListenerIsNamedAsTheReason() throws Exception {
        assumeTrue(AsUser.isPossible(), "needs root, to give files away");
        Path place = Files.createDirectory(ends.dir.resolve("accel-" + AsUser.NOBODY));
        Path theirs = Files.createDirectory(
                place.resolve(RendezvousPath.name(Namespace.OWN, PortSpace.TCP, ShmEnds.address("127.0.0.1"))));
        Files.setAttribute(theirs, "unix:uid", AsUser.NOBODY);
        Files.setAttribute(place, "unix:uid", AsUser.NOBODY);
        assertThat(Fallbacks.of(() -> ends.begin("127.0.0.1")).reason()).isEqualTo(FallbackReason.OTHER_USER);
    }

    @Test
    void howeverMuchOthersHaveThereALimitedPartOfItIsLookedAt() throws Exception {
        for (int place = 0; place < 100; place++) {
            Path theirs = Files.createDirectory(ends.dir.resolve("accel-" + (100_000 + place)));
            for (int i = 0; i < 100; i++) {
                Files.createDirectory(theirs.resolve(
                        RendezvousPath.name(Namespace.OWN, PortSpace.TCP, ShmEnds.address("127.0.0.1"))));
            }
        }
        assertThat(RendezvousPlaces.others(ends.dir)).hasSizeBetween(1, 1_000);
        assertThat(RendezvousPlaces.all(ends.config())).isEmpty();
        meet(ends.config(), "127.0.0.1");
    }

    // ---- a name service that does not answer

    @Test
    void aNameServiceThatDoesNotAnswerHoldsNobodyUp() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        GroupNumber.NameService slow = group -> {
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return 4711;
        };
        String group = "slow-" + System.nanoTime();
        for (int i = 0; i < 3; i++) {
            FallbackException e = Fallbacks.of(() -> GroupNumber.of(group, 0, slow));
            assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
            assertThat(e.isPassing()).isTrue();
        }
        answers.countDown();
        assertThat(GroupNumber.of(group, 20_000, slow)).isEqualTo(4711);
        assertThat(GroupNumber.of(group, 0, other -> {
                    throw new AssertionError("asked once");
                }))
                .isEqualTo(4711);
    }

    /** A number needs no service, and one end may have the number where the other has the name. */
    @Test
    void aNumberIsNotAskedFor() throws Exception {
        GroupNumber.NameService none = group -> {
            throw new AssertionError("asked for " + group);
        };
        List<Long> numbers = new ArrayList<>();
        for (String number : List.of("0", "10001", "4294967295")) {
            numbers.add(GroupNumber.of(number, 0, none));
        }
        assertThat(numbers).containsExactly(0L, 10_001L, 4_294_967_295L);
        assertThat(Fallbacks.of(() -> GroupNumber.of("4294967296", 20_000)))
                .hasMessageContaining("this system has no group '4294967296'");
    }
}
