// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.PortSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients find listeners in other network namespaces, as far as both have the same connection. The addresses are reserved for
 * documentation.
 */
@Timeout(60)
@SuppressWarnings("try") // some resources are only held
class ForeignNamespaceTest {
    private static final String SERVER = "192.0.2.1";
    private static final InetSocketAddress CLIENT_END = ShmEnds.address("192.0.2.2", 50_000);
    private static final InetSocketAddress SERVER_END = ShmEnds.address(SERVER);
    private static final Said SAID = new Said("GET / HTTP/1.1", "");

    private final Namespace here =
            new Namespace("here", address -> text(address).startsWith("192.0.2.2"));
    private final Namespace there =
            new Namespace("there", address -> text(address).startsWith("192.0.2.1"));

    private ShmEnds ends;
    private ShmFabric client;
    private ShmFabric server;
    private final ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);

    @BeforeEach
    void open() throws IOException {
        ends = new ShmEnds();
        client = new ShmFabric(ends.config(), () -> here);
        server = new ShmFabric(ends.config(), () -> there);
    }

    @AfterEach
    void close() throws IOException {
        ends.close();
    }

    private static String text(InetAddress address) {
        return address.getHostAddress();
    }

    private static Fabric.Source source(InetSocketAddress end, Beginnings beginnings) {
        return new Fabric.Source() {
            @Override
            public InetSocketAddress bind(InetAddress address) {
                return end;
            }

            @Override
            public Beginnings beginnings() {
                return beginnings;
            }
        };
    }

    private Connecting begin(InetSocketAddress destination, Beginnings beginnings) throws IOException {
        return client.connect(destination, source(CLIENT_END, beginnings), ShmEnds.RING);
    }

    private void connect(InetSocketAddress destination, Beginnings beginnings) throws Exception {
        ShmEnds.finish(begin(destination, beginnings)).free();
    }

    private FallbackException fallback(InetSocketAddress destination, Beginnings beginnings) {
        return Fallbacks.of(() -> connect(destination, beginnings));
    }

    private void serverHas(ShmEnds.Acceptor who, Beginnings beginnings) {
        who.known.put(CLIENT_END, new Fabric.Acceptor.Known(SERVER_END, beginnings));
    }

    @ParameterizedTest
    @ValueSource(strings = {SERVER, "0.0.0.0", "::"})
    void aListenerOfAnotherNamespaceIsFound(String bound) throws Exception {
        serverHas(acceptor, SAID.mirrored());
        try (var listening = server.listen(ShmEnds.address(bound), acceptor)) {
            connect(SERVER_END, SAID);
            ShmEnds.Accepted accepted = acceptor.next();
            assertThat(accepted.local()).isEqualTo(SERVER_END);
            assertThat(accepted.remote()).isEqualTo(CLIENT_END);
            accepted.link().free();
        }
        assertThat(ends.content()).isEmpty();
    }

    /** The server's end has another address than the client has connected to. */
    @Test
    void oneBehindATranslatedAddressIsFoundByTheClients() throws Exception {
        serverHas(acceptor, SAID.mirrored());
        try (var listening = server.listen(ShmEnds.address("0.0.0.0", 8080), acceptor)) {
            connect(ShmEnds.address("198.51.100.7", 80), SAID);
            ShmEnds.Accepted accepted = acceptor.next();
            assertThat(accepted.local()).isEqualTo(SERVER_END);
            accepted.link().free();
        }
    }

    @Test
    void beforeAnythingHasGoneByTheConnectionNobodyOnAnotherAddressIsAsked() throws Exception {
        try (var listening = server.listen(ShmEnds.address("0.0.0.0", 8080), acceptor)) {
            FallbackException e = fallback(ShmEnds.address("198.51.100.7", 80), Said.NOTHING);
            assertThat(e.reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            assertThat(e.isPassing()).isTrue();
            assertThat(acceptor.asked).hasValue(0);
        }
    }

    @ParameterizedTest
    @CsvSource({"'', '', '', ''", "abc, '', '', abc", "'', '', abc, abc"})
    void whereTheEndsHaveNothingInCommonItIsAskedAgain(String out, String in, String serverOut, String serverIn)
            throws Exception {
        serverHas(acceptor, new Said(serverOut, serverIn));
        try (var listening = server.listen(SERVER_END, acceptor)) {
            if (out.isEmpty() || serverIn.isEmpty()) {
                FallbackException e = fallback(SERVER_END, new Said(out, in));
                assertThat(e.reason()).isEqualTo(FallbackReason.NOT_YET);
                assertThat(e.isPassing()).isTrue();
            } else {
                connect(SERVER_END, new Said(out, in));
                acceptor.next().link().free();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, '', '', G", // bytes on their way are not compared
        "G, hello, hello there, GET",
        "GET, hello, hello, GET"
    })
    void whatBothEndsHaveIsTheSame(String out, String in, String serverOut, String serverIn) throws Exception {
        serverHas(acceptor, new Said(serverOut, serverIn));
        try (var listening = server.listen(SERVER_END, acceptor)) {
            connect(SERVER_END, new Said(out, in));
            acceptor.next().link().free();
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, '', '', PUT", "GET, hello, jello, GET", "G, hello, hello, PUT"})
    void aProxyThatChangesBytesKeepsAConnectionWithTheKernel(String out, String in, String serverOut, String serverIn)
            throws Exception {
        serverHas(acceptor, new Said(serverOut, serverIn));
        try (var listening = server.listen(SERVER_END, acceptor)) {
            FallbackException e = fallback(SERVER_END, new Said(out, in));
            assertThat(e.reason()).isEqualTo(FallbackReason.PROXIED);
            assertThat(e.isPassing()).isFalse();
        }
        assertThat(acceptor.places).as("places").hasValue(1);
        assertThat(ends.content()).isEmpty();
    }

    /** The last byte that can be compared is compared, and the next byte is not. */
    @Test
    void asMuchIsComparedAsCanBe() throws Exception {
        try (var listening = server.listen(SERVER_END, acceptor)) {
            byte[] bytes = new byte[Beginnings.LIMIT + 1];
            byte[] changed = bytes.clone();
            changed[Beginnings.LIMIT] = 1;
            serverHas(acceptor, new Said(new byte[0], changed));
            connect(SERVER_END, new Said(bytes, new byte[0]));
            acceptor.next().link().free();
            acceptor.unreserve();
            changed[Beginnings.LIMIT - 1] = 1;
            assertThat(fallback(SERVER_END, new Said(bytes, new byte[0])).reason())
                    .isEqualTo(FallbackReason.PROXIED);
        }
    }

    @Test
    void aConnectionThatIsNotAcceptedYetIsAskedForAgain() throws Exception {
        try (var listening = server.listen(ShmEnds.address("0.0.0.0"), acceptor)) {
            assertThat(fallback(SERVER_END, SAID).reason()).isEqualTo(FallbackReason.NOT_YET);
            assertThat(acceptor.accepted).isEmpty();
        }
    }

    /** That listener cannot know whether the connection may yet come to it. */
    @Test
    void whoIsOnAnotherAddressAndDoesNotKnowItSaysNo() throws Exception {
        try (var listening = server.listen(ShmEnds.address("0.0.0.0"), acceptor)) {
            FallbackException e = fallback(ShmEnds.address("198.51.100.7"), SAID);
            assertThat(e.reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            assertThat(e.isPassing()).isTrue();
            assertThat(e)
                    .hasMessageContaining(ends.dir.toString())
                    .hasMessageContaining("198.51.100.7:" + ShmEnds.PORT)
                    .hasMessageContaining("; 1 listeners");
        }
    }

    @Test
    void whereNobodyIsElsewhereTheReasonIsAsInOneNamespace() {
        FallbackException e = fallback(SERVER_END, SAID);
        assertThat(e.reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
        assertThat(e.isPassing()).isFalse();
        assertThat(e)
                .hasMessage("no rendezvous in " + ends.dir + " for " + SERVER + ":" + ShmEnds.PORT
                        + ": the peer runs without Accel, or with another shm.dir");
    }

    @Test
    void loopbackConnectionsAreNobodysElsewhere() throws Exception {
        try (var listening = server.listen(ShmEnds.address("0.0.0.0"), acceptor)) {
            FallbackException e = Fallbacks.of(() -> client.connect(
                    ShmEnds.address("127.0.0.1"), source(ShmEnds.address("127.0.0.1", 50_000), SAID), ShmEnds.RING));
            assertThat(e.reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
            assertThat(e.isPassing()).isFalse();
            assertThat(acceptor.asked).hasValue(0);
        }
    }

    @Test
    void whatIsLocalAndHasAListenerHereIsNotLookedForElsewhere() throws Exception {
        ShmEnds.Acceptor own = new ShmEnds.Acceptor(1);
        InetSocketAddress destination = ShmEnds.address("192.0.2.2");
        serverHas(acceptor, SAID.mirrored());
        try (var first = client.listen(ShmEnds.address("0.0.0.0"), own);
                var second = server.listen(destination, acceptor)) {
            connect(destination, SAID);
            own.next().link().free();
            assertThat(acceptor.asked).hasValue(0);
        }
    }

    @Test
    void theNearestAreAskedFirst() throws Exception {
        List<String> asked = new ArrayList<>();
        List<AutoCloseable> open = new ArrayList<>();
        for (String bound :
                new String[] {"192.0.2.9:81", "0.0.0.0:47000", "192.0.2.1:47000", "[::]:47000", "0.0.0.0:90"}) {
            int colon = bound.lastIndexOf(':');
            InetSocketAddress address = ShmEnds.address(
                    bound.substring(0, colon).replaceAll("[\\[\\]]", ""), Integer.parseInt(bound.substring(colon + 1)));
            open.add(server.listen(address, new Refusing(() -> {
                synchronized (asked) {
                    asked.add(bound);
                }
            })));
        }
        FallbackException e = fallback(ShmEnds.address("192.0.2.1"), SAID);
        for (AutoCloseable each : open) {
            each.close();
        }
        assertThat(e.reason()).isEqualTo(FallbackReason.NOT_YET);
        assertThat(asked).hasSize(5);
        assertThat(asked.get(0)).isEqualTo("192.0.2.1:47000");
        assertThat(asked.subList(1, 3)).containsExactlyInAnyOrder("0.0.0.0:47000", "[::]:47000");
    }

    /** Knows no connection. */
    private record Refusing(Runnable told) implements Fabric.Acceptor {
        @Override
        public Known known(InetSocketAddress local, InetSocketAddress remote) {
            told.run();
            return null;
        }

        @Override
        public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again) {
            throw new AssertionError("nobody asked whether there is a connection");
        }

        @Override
        public void unreserve(InetSocketAddress local, InetSocketAddress remote) {}

        @Override
        public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
            return false;
        }

        @Override
        public boolean isSettled(Link link) {
            return true;
        }

        @Override
        public void confirmed(Link link) {}

        @Override
        public void withdrawn(Link link) {}
    }

    @Test
    void nobodyAsksMoreThanSomeListeners() throws Exception {
        List<AutoCloseable> open = new ArrayList<>();
        int all = ForeignSearch.MOST + 16;
        for (int i = 0; i < all; i++) {
            open.add(server.listen(ShmEnds.address("192.0.2.9", 1000 + i), acceptor));
        }
        InetSocketAddress destination = ShmEnds.address("198.51.100.7");
        FallbackException e = fallback(destination, SAID);
        assertThat(e).hasMessageContaining(ForeignSearch.MOST + " of " + all);
        assertThat(acceptor.asked).hasValue(ForeignSearch.MOST);
        for (int i = 1; i < AskedInVain.LIMIT + 5; i++) {
            fallback(destination, SAID);
        }
        assertThat(acceptor.asked).as("in all").hasValue(AskedInVain.LIMIT * ForeignSearch.MOST);
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    /** Other files there say nothing about this connection. */
    @Test
    void theDeadAndTheStrangeAreInNobodysWay() throws Exception {
        new RawListener(ends.newRendezvous(there, PortSpace.TCP, SERVER_END)).close();
        Files.createDirectory(ends.place().resolve("accel-there-udp-" + SERVER + "-" + ShmEnds.PORT + "~u"));
        Path open = Files.createDirectory(ends.place().resolve("accel-there-any-" + ShmEnds.PORT + "~o"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(fallback(SERVER_END, SAID).reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
        serverHas(acceptor, SAID.mirrored());
        try (var listening = server.listen(ShmEnds.address("0.0.0.0", 1), acceptor)) {
            connect(SERVER_END, SAID);
            acceptor.next().link().free();
        }
    }

    // ---- the hostile

    private static Hello hello(String namespace, int sent, int received) {
        return new Hello(7, ShmEnds.RING, CLIENT_END, SERVER_END, namespace, sent, received);
    }

    @ParameterizedTest
    @CsvSource({"here, 4097, 0", "here, 0, 65535", "'', 0, 0", "fourteenletter, 0, 0"})
    void aHelloWithNonsenseEndsThatHandshakeOnly(String namespace, int sent, int received) throws Exception {
        serverHas(acceptor, SAID.mirrored());
        try (var listening = server.listen(SERVER_END, acceptor)) {
            try (RawClient bad = new RawClient(rendezvous())) {
                bad.say(hello(namespace, sent, received).encode());
                assertThat(bad.status()).isEqualTo(FallbackReason.BAD_HANDSHAKE.code());
                bad.awaitHangUp();
            }
            connect(SERVER_END, SAID);
            acceptor.next().link().free();
        }
    }

    @Test
    void whoMakesUpSumsIsRefused() throws Exception {
        serverHas(acceptor, SAID.mirrored());
        try (var listening = server.listen(SERVER_END, acceptor);
                RawClient liar = new RawClient(rendezvous())) {
            liar.say(hello("here", 4096, 4096).encode());
            int status = liar.status();
            assertThat(Hello.isChallenge(status)).isTrue();
            assertThat(Hello.challengedSent(status)).isEqualTo(SAID.sent());
            assertThat(Hello.challengedReceived(status)).isZero();
            liar.say(Hello.sums(1, 0));
            assertThat(liar.status()).isEqualTo(FallbackReason.PROXIED.code());
            liar.awaitHangUp();
        }
        assertThat(acceptor.places).hasValue(1);
    }

    @Test
    void whoOwesItsSumsHasNoMoreTimeThanOthers() throws Exception {
        serverHas(acceptor, SAID.mirrored());
        try (var listening = server.listen(SERVER_END, acceptor);
                RawClient slow = new RawClient(rendezvous())) {
            slow.say(hello("here", 4, 0).encode());
            assertThat(Hello.isChallenge(slow.status())).isTrue();
            slow.say((byte) 0);
            assertThat(slow.status()).isEqualTo(FallbackReason.TIMEOUT.code());
        }
    }

    /** A listener learns no more of a client's bytes than it has itself, and only if it asks in the right way. */
    @ParameterizedTest
    @CsvSource({"15, 0", "0, 1", "65, 0", "8191, 8191"})
    void aListenerThatAsksForOtherSumsGetsNone(int sent, int received) throws Exception {
        Path directory = ends.newRendezvous(there, PortSpace.TCP, SERVER_END);
        try (RawListener listener = new RawListener(directory)) {
            Connecting connecting = begin(SERVER_END, SAID);
            try (SocketChannel unused = listener.answer(
                    RawListener.answer(ShmLayout.MAGIC, ShmLayout.VERSION, Hello.challenge(sent, received)))) {
                assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason())
                        .isEqualTo(FallbackReason.BAD_HANDSHAKE);
            }
        }
    }

    @Test
    void aListenerAsksOnce() throws Exception {
        Path directory = ends.newRendezvous(there, PortSpace.TCP, SERVER_END);
        try (RawListener listener = new RawListener(directory)) {
            Connecting connecting = begin(SERVER_END, SAID);
            ByteBuffer challenge =
                    RawListener.answer(ShmLayout.MAGIC, ShmLayout.VERSION, Hello.challenge(SAID.sent(), 0));
            try (SocketChannel channel = listener.answer(challenge.duplicate())) {
                channel.write(challenge);
                assertThat(Fallbacks.of(() -> ShmEnds.finish(connecting)).reason())
                        .isEqualTo(FallbackReason.BAD_HANDSHAKE);
            }
        }
    }

    private Path rendezvous() throws IOException {
        return RendezvousPath.elsewhere(RendezvousPlaces.everybodys(ends.dir), here, SERVER_END)
                .named()
                .get(0);
    }
}
