// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.FallbackReason;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that misbehave at the rendezvous cost themselves a refusal, and nobody else anything. */
class BadClientsTest {
    private static final long NONCE = 0x1234_5678_9abcL;
    private static final int MEASURED_MILLIS = 300;

    private ShmEnds ends;
    private ShmEnds.Acceptor acceptor;
    private Fabric.Listening listening;
    private Path rendezvous;

    @BeforeEach
    void listen() throws IOException {
        ends = new ShmEnds();
        acceptor = new ShmEnds.Acceptor(3);
        listening = ends.fabric().listen(ShmEnds.address("127.0.0.1"), acceptor);
        rendezvous = ends.rendezvous("127.0.0.1");
    }

    @AfterEach
    void close() throws IOException {
        listening.close();
        try (ShmEnds closing = ends) {
            assertThat(closing.content()).as("left in shm.dir").isEmpty();
        }
    }

    @Test
    void oneThatSaysNothingIsHungUpOnAndOthersConnectMeanwhile() throws Exception {
        try (RawClient mute = new RawClient(rendezvous)) {
            othersConnect();
            assertThat(mute.status()).isEqualTo(FallbackReason.TIMEOUT.code());
            mute.awaitHangUp();
        }
        nothingIsLeft();
    }

    /** An error in one client's handshake, whatever it is, ends that handshake: others connect, and the thread rests. */
    @ParameterizedTest
    @ValueSource(strings = {"reserve", "offered"})
    void anErrorInOneHandshakeIsThatHandshakesAlone(String where) throws Exception {
        acceptor.failNextWith(where, new NoClassDefFoundError("a class that is missing"));
        try (RawClient client = new RawClient(rendezvous)) {
            if (where.equals("reserve")) {
                client.say(RawClient.hello(NONCE).encode());
                assertThat(client.status()).isEqualTo(FallbackReason.NO_MODULE.code());
            } else {
                client.go(NONCE).makeFile(NONCE).say(Hello.MADE);
            }
            client.awaitHangUp();
            assertThat(acceptor.isToFail()).isFalse();
            othersConnect();
            assertThreadRests();
        }
        nothingIsLeft();
        assertThreadRests();
    }

    /** A client's message that cannot be read now leaves its key ready, which is looked at again from time to time. */
    @Test
    void anErrorThatStaysDoesNotKeepTheThreadBusy() throws Exception {
        acceptor.isBroken = true;
        try (RawClient client = new RawClient(rendezvous).go(NONCE)) {
            client.makeFile(NONCE).say(Hello.MADE);
            assertThat(client.status()).isEqualTo(Hello.DONE);
        }
        await().until(() -> acceptor.broken.get() > 1);
        assertThreadRests();
        acceptor.isBroken = false;
        othersConnect();
        nothingIsLeft();
    }

    /** The client's ring is taken when the error comes, and it has no reason to ring again. */
    @Test
    void oneThatIsHeardWithAnErrorIsHeardAgain() throws Exception {
        acceptor.failNextWith("confirmed", new OutOfMemoryError("injected"));
        othersConnect();
        assertThat(acceptor.isToFail()).isFalse();
        nothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 15, 16, 17, 30})
    void oneThatStopsInTheMiddleIsHungUpOn(int length) throws Exception {
        try (RawClient half = new RawClient(rendezvous)) {
            half.say(RawClient.hello(NONCE).encode().limit(length));
            othersConnect();
            assertThat(half.status()).isEqualTo(FallbackReason.TIMEOUT.code());
            half.awaitHangUp();
        }
        nothingIsLeft();
    }

    /** It is not the directory alone that keeps another user out: here everybody may enter. */
    @Test
    void oneOfAnotherUserIsRefused() throws Exception {
        assumeTrue(AsUser.isPossible(), "needs root, to be another user");
        Files.setPosixFilePermissions(ends.dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(rendezvous, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(
                rendezvous.resolve(RendezvousPath.SOCKET), PosixFilePermissions.fromString("rwxrwxrwx"));
        try (RawClient other = AsUser.call(AsUser.NOBODY, AsUser.NOBODY, () -> new RawClient(rendezvous))) {
            other.say(RawClient.hello(NONCE).encode());
            assertThat(other.status()).isEqualTo(FallbackReason.OTHER_USER.code());
            other.awaitHangUp();
        }
        assertThat(acceptor.places).as("nobody was asked").hasValue(3);
        try (RawClient own = AsUser.call(0, AsUser.NOBODY, () -> new RawClient(rendezvous))) {
            own.go(NONCE); // of the same user, and another group
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void oneThatMakesNoFileIsHungUpOn() throws Exception {
        try (RawClient idle = new RawClient(rendezvous).go(NONCE)) {
            assertThat(acceptor.places).hasValue(2);
            assertThat(idle.status()).isEqualTo(FallbackReason.TIMEOUT.code());
            idle.awaitHangUp();
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void oneThatIsKilledWithItsFileLeavesNothing() throws Exception {
        try (RawClient client = new RawClient(rendezvous).go(NONCE)) {
            client.makeFile(NONCE);
        }
        nothingIsLeft();
    }

    @Test
    void oneWhoseConnectionIsNotAcceptedYetWaitsAsLongAsItTakes() throws Exception {
        BlockingQueue<Runnable> undecided = new LinkedBlockingQueue<>();
        acceptor.undecided = undecided;
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(RawClient.hello(NONCE).encode());
            assertThat(client.status()).isEqualTo(Hello.PENDING);
            Runnable again = undecided.poll(10, TimeUnit.SECONDS);
            acceptor.undecided = null;
            again.run();
            assertThat(client.status()).isEqualTo(Hello.GO);
        }
        nothingIsLeft();
    }

    @Test
    void oneThatSpeaksBeforeItIsAskedIsRefused() throws Exception {
        acceptor.undecided = new LinkedBlockingQueue<>();
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(RawClient.hello(NONCE).encode());
            assertThat(client.status()).isEqualTo(Hello.PENDING);
            client.say(Hello.MADE);
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
        }
        acceptor.undecided = null;
        nothingIsLeft();
    }

    @Test
    void oneThatLeavesInTheMiddleIsForgotten() throws Exception {
        for (int length : new int[] {0, 1, 16, 30}) {
            try (RawClient gone = new RawClient(rendezvous)) {
                gone.say(RawClient.hello(NONCE).encode().limit(length));
            }
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void garbageIsRefused() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            byte[] garbage = new byte[16 + random.nextInt(300)];
            random.nextBytes(garbage);
            try (RawClient client = new RawClient(rendezvous)) {
                client.say(ByteBuffer.wrap(garbage));
                assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
                client.awaitHangUp();
            }
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void aSoundHeadWithGarbageBehindItIsRefused() throws Exception {
        Random random = new Random(8);
        for (int i = 0; i < 100; i++) {
            byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);
            ByteBuffer hello =
                    head(ShmLayout.VERSION, garbage.length).put(garbage).flip();
            try (RawClient client = new RawClient(rendezvous)) {
                client.say(hello);
                assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
            }
        }
        othersConnect();
        nothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Hello.MAX, Integer.MAX_VALUE})
    void aLengthThatNoHelloHasIsRefused(int length) throws Exception {
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(head(ShmLayout.VERSION, length).flip());
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
        }
        othersConnect();
    }

    @Test
    void anotherVersionIsToldSo() throws Exception {
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(head(ShmLayout.VERSION + 1, 30).flip());
            ByteBuffer answer = client.answer();
            assertThat(answer.getLong(0)).isEqualTo(ShmLayout.MAGIC);
            assertThat(answer.getInt(8)).isEqualTo(ShmLayout.VERSION);
            assertThat(answer.getInt(12)).isEqualTo(FallbackReason.VERSION_MISMATCH.code());
        }
        othersConnect();
    }

    @Test
    void aFileOfAnotherSizeIsRefused() throws Exception {
        for (long size : new long[] {0, 1, ShmLayout.RINGS, ShmLayout.fileSize(ShmEnds.RING) - 1}) {
            Files.write(rendezvous.resolve(RawClient.hello(size).file()), new byte[(int) size]);
            refused(size);
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void aFileThatIsNotThereIsRefused() throws Exception {
        refused(NONCE);
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void aLinkToAFileIsRefused() throws Exception {
        Path precious = Files.write(ends.dir.resolve("precious"), new byte[(int) ShmLayout.fileSize(ShmEnds.RING)]);
        Files.createSymbolicLink(rendezvous.resolve("ring-1"), precious);
        refused(1);
        assertThat(precious).exists();
        Files.delete(precious);
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void anotherNonceThanTheFilesIsRefused() throws Exception {
        try (RawClient client = new RawClient(rendezvous).go(NONCE)) {
            client.makeFile(NONCE, NONCE + 1).say(Hello.MADE);
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
        }
        othersConnect();
        nothingIsLeft();
    }

    /** The client may be using the link, so only its own end takes the link back. */
    @Test
    void oneThatHangsUpWithoutAWordGivesThePlaceAndTheMemoryBack() throws Exception {
        try (RawClient client = new RawClient(rendezvous).go(NONCE)) {
            client.makeFile(NONCE).say(Hello.MADE);
            assertThat(client.status()).isEqualTo(Hello.DONE);
            assertThat(acceptor.places).hasValue(2);
        }
        nothingIsLeft();
        assertThat(acceptor.accepted).isEmpty();
    }

    @Test
    void anotherWordThanThatThereIsAFileIsRefused() throws Exception {
        try (RawClient client = new RawClient(rendezvous).go(NONCE)) {
            client.makeFile(NONCE).say((byte) 1);
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void aHelloThatComesByteByByteIsTaken() throws Exception {
        listening.close();
        listening = new ShmFabric(ends.config(Duration.ofMillis(200), Duration.ofSeconds(20)))
                .listen(ShmEnds.address("127.0.0.1"), acceptor);
        rendezvous = ends.rendezvous("127.0.0.1");
        try (RawClient slow = new RawClient(rendezvous)) {
            ByteBuffer hello = RawClient.hello(NONCE).encode();
            while (hello.hasRemaining()) {
                slow.say(hello.get());
                awaitAnswerToAnother(); // by when the thread that answers all clients has had the byte
            }
            assertThat(slow.status()).isEqualTo(Hello.GO);
        }
        nothingIsLeft();
    }

    @Test
    void aFullQueueIsToldSo() throws Exception {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            links.add(ends.connect("127.0.0.1"));
        }
        assertThat(Fallbacks.of(() -> ends.connect("127.0.0.1")).reason()).isEqualTo(FallbackReason.BACKLOG_FULL);
        for (int i = 0; i < 3; i++) {
            links.add(acceptor.next().link());
            acceptor.unreserve();
        }
        othersConnect();
        links.forEach(Link::free);
        nothingIsLeft();
    }

    @Test
    void handshakesUnderWayEndWithTheListener() throws Exception {
        try (RawClient mute = new RawClient(rendezvous);
                RawClient unconfirmed = new RawClient(rendezvous).go(NONCE)) {
            listening.close();
            mute.awaitHangUp();
            unconfirmed.awaitHangUp();
        }
        await().until(() -> acceptor.places.get() == 3);
    }

    private static ByteBuffer head(int version, int length) {
        return ByteBuffer.allocate(Hello.MAX * 2)
                .putLong(ShmLayout.MAGIC)
                .putInt(version)
                .putInt(length);
    }

    private void refused(long nonce) throws IOException {
        try (RawClient client = new RawClient(rendezvous).go(nonce)) {
            client.say(Hello.MADE);
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
            client.awaitHangUp();
        }
    }

    private void awaitAnswerToAnother() throws IOException {
        try (RawClient other = new RawClient(rendezvous)) {
            other.say(head(ShmLayout.VERSION + 1, 30).flip());
            assertThat(other.status()).isEqualTo(FallbackReason.VERSION_MISMATCH.code());
        }
    }

    private void othersConnect() throws Exception {
        Link client = ends.connect("127.0.0.1");
        ShmEnds.Accepted accepted = acceptor.next();
        assertThat(accepted.local()).isEqualTo(ShmEnds.address("127.0.0.1"));
        assertThat(accepted.remote()).isEqualTo(ShmEnds.address("127.0.0.1", 50_000));
        client.signal(Link.FIN);
        assertThat(accepted.link().peerState()).isEqualTo(Link.FIN | Link.ATTACHED);
        client.free();
        accepted.link().free();
        acceptor.unreserve();
    }

    /** Asserts that the thread which answers all clients uses almost no processor time. */
    private static void assertThreadRests() throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long thread = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(info -> info != null && info.getThreadName().equals("accel-rendezvous"))
                .mapToLong(ThreadInfo::getThreadId)
                .findFirst()
                .orElseThrow();
        long start = System.nanoTime();
        long before = threads.getThreadCpuTime(thread);
        Thread.sleep(MEASURED_MILLIS);
        long used = threads.getThreadCpuTime(thread) - before;
        assertThat(used).as("nanoseconds of a processor").isLessThan((System.nanoTime() - start) / 3);
    }

    /** The place is given back first, and then the file goes. */
    private void nothingIsLeft() {
        await().untilAsserted(() -> {
            assertThat(acceptor.places).hasValue(3);
            assertThat(ends.content()).containsExactlyInAnyOrder(rendezvous, rendezvous.resolve(RendezvousPath.SOCKET));
        });
    }
}
