package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that misbehave at the rendezvous cost themselves a refusal, and nobody else anything. */
class BadClientsTest {
    private static final long NONCE = 0x1234_5678_9abcL;

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

    /** An error in one client's handshake, whatever it is, ends that handshake: others connect, and no key stays ready. */
    @ParameterizedTest
    @ValueSource(strings = {"reserve", "accept"})
    void anErrorInOneHandshakeIsThatHandshakesAlone(String where) throws Exception {
        acceptor.failNextWith(where, new NoClassDefFoundError("a class that is missing"));
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(RawClient.hello(NONCE, client.makeFile(NONCE)).encode());
            if (where.equals("reserve")) {
                assertThat(client.status()).isEqualTo(FallbackReason.NO_MODULE.code());
                client.awaitHangUp();
            } else {
                assertThat(client.status()).isZero();
                client.say(Hello.CONFIRM);
                acceptor.next().link().free(); // it had the connection before it failed
                acceptor.unreserve();
            }
            assertThat(acceptor.isToFail()).isFalse();
            othersConnect();
        }
        nothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 15, 16, 17, 40})
    void oneThatStopsInTheMiddleIsHungUpOn(int length) throws Exception {
        try (RawClient half = new RawClient(rendezvous)) {
            half.say(RawClient.hello(NONCE, half.makeFile(NONCE)).encode().limit(length));
            othersConnect();
            assertThat(half.status()).isEqualTo(FallbackReason.TIMEOUT.code());
            half.awaitHangUp();
        }
        Files.deleteIfExists(rendezvous.resolve("ring-" + Long.toHexString(NONCE)));
        nothingIsLeft();
    }

    @Test
    void oneThatLeavesInTheMiddleIsForgotten() throws Exception {
        for (int length : new int[] {0, 1, 16, 40}) {
            try (RawClient gone = new RawClient(rendezvous)) {
                gone.say(RawClient.hello(NONCE, "ring-1").encode().limit(length));
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
            client.say(head(ShmLayout.VERSION + 1, 40).flip());
            ByteBuffer answer = client.answer();
            assertThat(answer.getLong(0)).isEqualTo(ShmLayout.MAGIC);
            assertThat(answer.getInt(8)).isEqualTo(ShmLayout.VERSION);
            assertThat(answer.getInt(12)).isEqualTo(FallbackReason.VERSION_MISMATCH.code());
        }
        othersConnect();
    }

    /** Neither outside of the directory, nor what is not a client's file within it: the socket itself above all. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "../outside",
                "/etc/passwd",
                "..",
                ".",
                "",
                "a/b",
                "s",
                "ring",
                "ring-",
                "ring-XYZ",
                "other-1f",
                "ring-1\n"
            })
    void onlyAClientsOwnFileIsTouched(String name) throws Exception {
        Path outside = Files.writeString(ends.dir.resolve("outside"), "precious");
        Path other = Files.writeString(rendezvous.resolve("other-1f"), "precious");
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(RawClient.hello(NONCE, name).encode());
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
            client.awaitHangUp();
        }
        assertThat(outside).hasContent("precious");
        assertThat(other).hasContent("precious");
        assertThat(rendezvous.resolve(RendezvousPath.SOCKET)).exists();
        Files.delete(outside);
        Files.delete(other);
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void aFileOfAnotherSizeIsRefused() throws Exception {
        for (long size : new long[] {0, 1, ShmLayout.RINGS, ShmLayout.fileSize(ShmEnds.RING) - 1}) {
            String name = "ring-" + Long.toHexString(size);
            Files.write(rendezvous.resolve(name), new byte[(int) size]);
            refused(RawClient.hello(size, name));
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void aFileThatIsNotThereIsRefused() throws Exception {
        refused(RawClient.hello(NONCE, "ring-" + Long.toHexString(NONCE)));
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void aLinkToAFileIsRefused() throws Exception {
        Path precious = Files.write(ends.dir.resolve("precious"), new byte[(int) ShmLayout.fileSize(ShmEnds.RING)]);
        Files.createSymbolicLink(rendezvous.resolve("ring-1"), precious);
        refused(RawClient.hello(1, "ring-1"));
        assertThat(precious).exists();
        Files.delete(precious);
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void anotherNonceThanTheFilesIsRefused() throws Exception {
        try (RawClient client = new RawClient(rendezvous)) {
            String file = client.makeFile(NONCE);
            client.say(RawClient.hello(NONCE + 1, file).encode());
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
        }
        othersConnect();
        nothingIsLeft();
    }

    @Test
    void withoutConfirmationThePlaceAndTheMemoryComeBack() throws Exception {
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(RawClient.hello(NONCE, client.makeFile(NONCE)).encode());
            assertThat(client.status()).isZero();
            assertThat(acceptor.places).hasValue(2);
            client.awaitHangUp();
        }
        nothingIsLeft();
        assertThat(acceptor.accepted).isEmpty();
    }

    @Test
    void aWrongConfirmationIsRefused() throws Exception {
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(RawClient.hello(NONCE, client.makeFile(NONCE)).encode());
            assertThat(client.status()).isZero();
            client.say((byte) 1);
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
        try (RawClient slow = new RawClient(rendezvous)) {
            ByteBuffer hello = RawClient.hello(NONCE, slow.makeFile(NONCE)).encode();
            while (hello.hasRemaining()) {
                slow.say(hello.get());
                Thread.sleep(1);
            }
            assertThat(slow.status()).isZero();
            slow.say(Hello.CONFIRM);
            acceptor.next().link().free();
        }
        acceptor.unreserve();
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
                RawClient unconfirmed = new RawClient(rendezvous)) {
            unconfirmed.say(RawClient.hello(NONCE, unconfirmed.makeFile(NONCE)).encode());
            assertThat(unconfirmed.status()).isZero();
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

    private void refused(Hello hello) throws IOException {
        try (RawClient client = new RawClient(rendezvous)) {
            client.say(hello.encode());
            assertThat(client.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
            client.awaitHangUp();
        }
    }

    private void othersConnect() throws Exception {
        Link client = ends.connect("127.0.0.1");
        ShmEnds.Accepted accepted = acceptor.next();
        assertThat(accepted.local()).isEqualTo(ShmEnds.address("127.0.0.1"));
        assertThat(accepted.remote()).isEqualTo(ShmEnds.address("127.0.0.1", 50_000));
        client.signal(Link.FIN);
        assertThat(accepted.link().peerState()).isEqualTo(Link.FIN);
        client.free();
        accepted.link().free();
        acceptor.unreserve();
    }

    private void nothingIsLeft() throws IOException {
        await().until(() -> acceptor.places.get() == 3);
        assertThat(ends.content()).containsExactlyInAnyOrder(rendezvous, rendezvous.resolve(RendezvousPath.SOCKET));
    }
}
