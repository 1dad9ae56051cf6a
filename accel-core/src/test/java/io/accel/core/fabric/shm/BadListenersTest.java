// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listeners that misbehave at the rendezvous: the client falls back, says why, and leaves nothing behind. */
@SuppressWarnings("try") // some resources are only held
class BadListenersTest {
    private ShmEnds ends;
    /** The number of files that the directory must have at the end: the place and its socket. */
    private int left = 2;

    private RawListener listener;

    @BeforeEach
    void listen() throws IOException {
        ends = new ShmEnds();
        listener = new RawListener(ends.newRendezvous("127.0.0.1"));
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
        try (ShmEnds closing = ends) {
            assertThat(closing.content()).as("left in shm.dir").hasSize(left);
        }
    }

    /** A client that does not wait for long. */
    private Connecting beginImpatiently() throws IOException {
        return new ShmFabric(ends.config(Duration.ofMillis(200), Duration.ofSeconds(1)))
                .connect(ShmEnds.address("127.0.0.1"), ShmEnds.source(), ShmEnds.RING);
    }

    @Test
    void oneThatSaysNothingTimesOut() throws Exception {
        long start = System.nanoTime();
        Connecting connecting = beginImpatiently();
        FallbackException e = Fallbacks.of(() -> ShmEnds.finish(connecting));
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertThat(e.reason()).isEqualTo(FallbackReason.TIMEOUT);
        assertThat(e).hasMessageContaining("200 ms (connect.probe-timeout)");
        assertThat(millis).isBetween(200L, 2_000L);
        assertThat(connecting.channel().isOpen()).isFalse();
    }

    /** An address that nobody has looked up stands for any error that is no refusal. */
    @Test
    void anErrorBeforeTheHelloIsSaidLeavesNoSocketOpen() throws Exception {
        Fabric.Source source = address -> InetSocketAddress.createUnresolved("localhost", 50_000);
        ShmFabric fabric = ends.fabric();
        List<String> before = sockets();
        assertThatThrownBy(() -> fabric.connect(ShmEnds.address("127.0.0.1"), source, ShmEnds.RING))
                .isInstanceOf(NullPointerException.class);
        assertThat(sockets()).containsExactlyInAnyOrderElementsOf(before);
    }

    private static List<String> sockets() throws IOException {
        List<String> all = new ArrayList<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors) {
                if (Files.isSymbolicLink(each)) { // not the descriptor of the listing itself, which is gone
                    all.add(Files.readSymbolicLink(each).toString());
                }
            }
        }
        all.removeIf(target -> !target.startsWith("socket:"));
        return all;
    }

    /** A member of the group has put its own socket in place of another member's. */
    @Test
    void oneOfAnotherUserThanItsDirectoryIsRefused() throws Exception {
        Path directory = ends.newRendezvous("127.0.0.2");
        try (RawListener usurper = new RawListener(directory)) {
            String group = group(directory);
            UserPrincipal other =
                    directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
            assumeTrue(Ownership.self() == 0, "needs root, to give files away");
            Files.setOwner(directory, other);
            ShmFabric fabric = new ShmFabric(new ShmConfig(ends.dir, group, 1_000_000_000L, 1_000_000_000L));
            FallbackException e =
                    Fallbacks.of(() -> fabric.connect(ShmEnds.address("127.0.0.2"), ShmEnds.source(), ShmEnds.RING));
            assertThat(e.reason()).isEqualTo(FallbackReason.OTHER_USER);
            assertThat(e).hasMessage(directory + " belongs to user 65534, and a process of user 0 answers there");
        }
        RendezvousDirectory.delete(directory);
    }

    private static String group(Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class).group().getName();
    }

    @Test
    void aDirectoryOfAGroupKeepsItsMembersApart() throws Exception {
        Path directory = ends.dir.resolve("shared");
        RendezvousDirectory.create(directory, group(ends.dir));
        assertThat((int) Files.getAttribute(directory, "unix:mode") & 07777).isEqualTo(01770);
        RendezvousDirectory.delete(directory);
    }

    /** A member may make its own files there, but may not remove, rename or replace another member's socket, nor move its directory. */
    @Test
    void aMemberOfTheGroupCannotTakeOverAnothersSocket() throws Exception {
        assumeTrue(AsUser.isPossible(), "needs root, to be another user");
        Files.setAttribute(ends.dir, "unix:mode", 01777); // as /dev/shm
        ShmFabric fabric = new ShmFabric(new ShmConfig(ends.dir, group(ends.dir), 1_000_000_000L, 1_000_000_000L));
        ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);
        try (var listening = fabric.listen(ShmEnds.address("127.0.0.3"), acceptor)) {
            Path directory = ends.rendezvous("127.0.0.3");
            int group = (int) Files.getAttribute(directory, "unix:gid");
            Path socket = directory.resolve(RendezvousPath.SOCKET);
            Path own = directory.resolve("own");
            List<Callable<Object>> takeovers = List.of(
                    () -> Files.move(socket, directory.resolve("moved")),
                    () -> Files.move(own, socket, StandardCopyOption.ATOMIC_MOVE),
                    () -> Files.move(own, socket, StandardCopyOption.REPLACE_EXISTING),
                    () -> Files.deleteIfExists(socket),
                    () -> Files.move(directory, ends.dir.resolve("moved")));
            AsUser.call(AsUser.NOBODY, group, () -> Files.createFile(own));
            for (Callable<Object> takeover : takeovers) {
                assertThatThrownBy(() -> AsUser.call(AsUser.NOBODY, group, takeover))
                        .isInstanceOf(FileSystemException.class)
                        .hasMessageContaining("not permitted");
            }
            try (RawClient member = AsUser.call(AsUser.NOBODY, group, () -> new RawClient(directory))) {
                member.say(RawClient.hello(1).encode());
                assertThat(member.status()).as("by the listener, where it was").isEqualTo(Hello.GO);
            }
            // Without the sticky bit a member could.
            Files.setAttribute(directory, "unix:mode", 0770);
            AsUser.call(AsUser.NOBODY, group, takeovers.get(0));
            assertThat(socket).doesNotExist();
        }
    }

    /** A container knows the group of a shared volume by its number. */
    @Test
    void aGroupIsTheSameByItsNameAndByItsNumber() throws Exception {
        Path directory = ends.dir.resolve("shared");
        String number = Files.getAttribute(ends.dir, "unix:gid").toString();
        RendezvousDirectory.create(directory, number);
        assumeTrue(Ownership.self() == 0, "needs root, to give files away");
        Files.setOwner(
                directory,
                directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        for (String group : List.of(number, group(ends.dir))) {
            assertThat(GroupNumber.of(group, 20_000)).hasToString(number);
            assertThat(RendezvousDirectory.check(directory, group)).isEqualTo((long) AsUser.NOBODY);
        }
        FallbackException e = Fallbacks.of(() -> RendezvousDirectory.check(directory, "54321"));
        assertThat(e.reason()).isEqualTo(FallbackReason.OTHER_USER);
        RendezvousDirectory.delete(directory);
    }

    @Test
    void aGroupThatThereIsNotIsNamedAndNothingIsLeft() {
        Path directory = ends.dir.resolve("shared");
        FallbackException e = Fallbacks.of(() -> RendezvousDirectory.create(directory, "no-such-group"));
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        assertThat(e).hasMessageContaining("this system has no group 'no-such-group' (shm.group)");
        assertThat(directory).doesNotExist();
    }

    @Test
    void oneThatSaysHalfAnAnswerTimesOut() throws Exception {
        Connecting connecting = beginImpatiently();
        try (SocketChannel client = listener.answer(Hello.answer(Hello.GO).limit(15))) {
            assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason()).isEqualTo(FallbackReason.TIMEOUT);
        }
    }

    @Test
    void oneThatHangsUpIsNoListener() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        listener.accept().close();
        assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason())
                .isIn(FallbackReason.BAD_HANDSHAKE, FallbackReason.STALE_RENDEZVOUS);
    }

    @Test
    void garbageIsNoAnswer() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        try (SocketChannel client = listener.answer(RawListener.answer(0x4854_5450_2f31_2e31L, 1, Hello.GO))) {
            assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason()).isEqualTo(FallbackReason.BAD_HANDSHAKE);
        }
    }

    @Test
    void anotherVersionIsSaid() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        int newer = ShmLayout.VERSION + 1;
        try (SocketChannel client = listener.answer(RawListener.answer(ShmLayout.MAGIC, newer, Hello.GO))) {
            FallbackException e = Fallbacks.of(() -> ShmEnds.finish(connecting));
            assertThat(e.reason()).isEqualTo(FallbackReason.VERSION_MISMATCH);
            assertThat(e).hasMessageContaining("version " + newer).hasMessageContaining("version " + ShmLayout.VERSION);
        }
    }

    @ParameterizedTest
    @EnumSource(FallbackReason.class)
    void aRefusalKeepsItsReason(FallbackReason reason) throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        try (SocketChannel client = listener.answer(Hello.answer(reason.code()))) {
            FallbackException e = Fallbacks.of(() -> ShmEnds.finish(connecting));
            assertThat(e.reason()).isEqualTo(reason);
            assertThat(e).hasMessageContaining(reason.sentence());
        }
    }

    @Test
    void aRefusalOfAnUnknownReasonIsStillARefusal() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        try (SocketChannel client = listener.answer(Hello.answer(-77))) {
            assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason()).isEqualTo(FallbackReason.BAD_HANDSHAKE);
        }
    }

    @Test
    void oneThatDiesBeforeItAnswersLeavesNoFile() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        listener.answer(Hello.answer(Hello.GO)).close();
        assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason())
                .isIn(FallbackReason.BAD_HANDSHAKE, FallbackReason.STALE_RENDEZVOUS);
    }

    @Test
    void oneThatIsDoneBeforeThereIsAFileIsNotBelieved() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        try (SocketChannel client = listener.answer(Hello.answer(Hello.DONE))) {
            assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason()).isEqualTo(FallbackReason.BAD_HANDSHAKE);
        }
    }

    @Test
    void oneThatWantsASecondFileIsNotBelieved() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        try (SocketChannel client = listener.answer(Hello.answer(Hello.GO))) {
            client.write(Hello.answer(Hello.GO));
            assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason()).isEqualTo(FallbackReason.BAD_HANDSHAKE);
        }
    }

    /** Only a receiver of datagrams has a say in it. */
    @Test
    void oneThatWantsLargerRingsForAStreamIsNotBelieved() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        try (SocketChannel client = listener.answer(Hello.answer(Hello.go(2 * ShmEnds.RING)))) {
            assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason()).isEqualTo(FallbackReason.BAD_HANDSHAKE);
        }
    }

    @Test
    void oneThatIsDoneAndDiesIsALinkWhosePeerIsGone() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        SocketChannel client = listener.answer(Hello.answer(Hello.GO));
        client.write(Hello.answer(Hello.DONE));
        Link link = ShmEnds.finish(connecting);
        client.close();
        assertThat(link.drainDoorbell()).isTrue();
        assertThat(link.peerGone()).isTrue();
        link.free();
    }

    /** The program may accept the connection in an hour. */
    @Test
    void oneThatCannotSayYetIsWaitedFor() throws Exception {
        Connecting connecting = ends.begin("127.0.0.1");
        try (SocketChannel client = listener.answer(Hello.answer(Hello.PENDING))) {
            while (!connecting.isPending()) {
                assertThat(connecting.advance()).isNull();
            }
            assertThat(connecting.deadline() - System.nanoTime()).isGreaterThan(3_600_000_000_000L);
            connecting.abort();
        }
    }

    @Test
    void oneWhoseQueueIsFullTakesNoMore() throws Exception {
        List<Connecting> waiting = new ArrayList<>();
        FallbackException full = Fallbacks.of(() -> {
            for (int i = 0; i < 100; i++) {
                waiting.add(ends.begin("127.0.0.1"));
            }
        });
        assertThat(full.reason()).isEqualTo(FallbackReason.BACKLOG_FULL);
        waiting.forEach(Connecting::abort);
        waiting.forEach(Connecting::abort); // once is enough
    }

    @Test
    void whatADeadProcessLeftIsStaleAndANewListenerIsFoundBesideIt() throws Exception {
        listener.close();
        FallbackException stale = Fallbacks.of(() -> ends.begin("127.0.0.1"));
        assertThat(stale.reason()).isEqualTo(FallbackReason.STALE_RENDEZVOUS);

        ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);
        try (var listening = ends.fabric().listen(ShmEnds.address("127.0.0.1"), acceptor)) {
            ends.connect("127.0.0.1").free();
            acceptor.next().link().free();
        }
        left = 0; // the new listener removes it, when it has been dead for a moment
        await().until(() -> ends.content().isEmpty());
    }

    @Test
    void aDirectoryThatAnybodyCanWriteIsNotTrusted() throws Exception {
        Files.setPosixFilePermissions(
                ends.rendezvous("127.0.0.1"), java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(Fallbacks.of(() -> ends.begin("127.0.0.1")).reason()).isEqualTo(FallbackReason.OTHER_USER);
    }
}
