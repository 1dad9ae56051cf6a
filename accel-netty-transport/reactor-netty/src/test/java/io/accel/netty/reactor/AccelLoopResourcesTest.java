// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.netty.AccelDomainSocketChannel;
import io.accel.netty.AccelServerDomainSocketChannel;
import io.accel.netty.AccelServerSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.accel.testing.RealProgram;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainDatagramChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.HttpResources;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;
import reactor.netty.udp.UdpClient;
import reactor.netty.udp.UdpServer;

/** Reactor Netty's own servers and clients on Accel's loops. */
@RealProgram(
        name = "Reactor Netty on Accel's transport",
        artifact = "io.projectreactor.netty:reactor-netty-core",
        how = "HTTP, TCP, UDP, Unix-domain sockets; loops named and global; peers on NIO")
@Timeout(30)
class AccelLoopResourcesTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final AccelLoopResources loops = AccelLoopResources.create("test", -1, 2, true);
    private final ConnectionProvider pool = ConnectionProvider.create("test");
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();

    @AfterEach
    void stop() {
        pool.disposeLater().block(LIMIT);
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
    }

    private static DisposableServer helloOn(HttpServer server) {
        return server.host("127.0.0.1")
                .port(0)
                .handle((request, response) -> response.sendString(Mono.just("hello " + request.uri())))
                .bindNow(LIMIT);
    }

    private String get(HttpClient client, DisposableServer server, String path) {
        return client.doOnConnected(connection -> channels.add(connection.channel()))
                .get()
                .uri("http://127.0.0.1:" + server.port() + path)
                .responseContent()
                .aggregate()
                .asString()
                .block(LIMIT);
    }

    private static String pathOf(Channel channel) {
        return channel instanceof AccelDomainSocketChannel unix
                ? unix.path().path()
                : ((AccelSocketChannel) channel).path().path();
    }

    private void awaitPath(String path) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(channels).isNotEmpty().allSatisfy(channel -> assertThat(pathOf(channel))
                        .isEqualTo(path)));
    }

    @Test
    void httpIsAccelerated() {
        DisposableServer server = helloOn(
                HttpServer.create().runOn(loops).doOnConnection(connection -> channels.add(connection.channel())));
        try {
            HttpClient client = HttpClient.create(pool).runOn(loops);
            for (int i = 0; i < 30; i++) {
                assertThat(get(client, server, "/" + i)).isEqualTo("hello /" + i);
            }
            assertThat(server.channel()).isInstanceOf(AccelServerSocketChannel.class);
            assertThat(channels).hasSizeGreaterThanOrEqualTo(2);
            awaitPath("shm");
        } finally {
            server.disposeNow(LIMIT);
        }
    }

    @Test
    void programsThatNameNoLoopsTakeThemFromTheGlobalResources() {
        AccelLoopResources global = AccelLoopResources.create("global", 1, 1, true);
        HttpResources.set(global);
        DisposableServer server = helloOn(HttpServer.create());
        try {
            assertThat(get(HttpClient.create(), server, "/")).isEqualTo("hello /");
            assertThat(server.channel()).isInstanceOf(AccelServerSocketChannel.class);
            awaitPath("shm");
        } finally {
            server.disposeNow(LIMIT);
            HttpResources.disposeLoopsAndConnectionsLater(Duration.ZERO, LIMIT).block(LIMIT);
        }
        assertThat(global.isDisposed()).isTrue();
    }

    @Test
    void peersOnOtherTransportsAreServed() {
        DisposableServer server = helloOn(HttpServer.create().runOn(loops));
        LoopResources other = LoopResources.create("other", 1, true);
        try {
            String answer = HttpClient.create(pool)
                    .runOn(other)
                    .get()
                    .uri("http://127.0.0.1:" + server.port() + "/nio")
                    .responseContent()
                    .aggregate()
                    .asString()
                    .block(LIMIT);
            assertThat(answer).isEqualTo("hello /nio");
        } finally {
            server.disposeNow(LIMIT);
            pool.disposeLater().block(LIMIT);
            other.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        }
    }

    @Test
    void whoAsksForNoNativeTransportIsGivenNio() {
        DisposableServer server = helloOn(HttpServer.create().runOn(loops, false));
        try {
            assertThat(server.channel()).isInstanceOf(NioServerSocketChannel.class);
            assertThat(get(HttpClient.create(pool).runOn(loops), server, "/")).isEqualTo("hello /");
            awaitPath("kernel");
        } finally {
            server.disposeNow(LIMIT);
        }
    }

    private static Mono<String> received(Connection client, Predicate<StringBuilder> isAll) {
        return client.inbound()
                .receive()
                .asString(StandardCharsets.US_ASCII)
                .scan(new StringBuilder(), StringBuilder::append)
                .filter(isAll)
                .next()
                .map(StringBuilder::toString);
    }

    private static void echo(Connection client) {
        String sent = "0123456789".repeat(100_000);
        Mono<String> received = received(client, all -> all.length() >= sent.length());
        client.outbound()
                .sendString(Flux.just(sent), StandardCharsets.US_ASCII)
                .then()
                .subscribe();
        assertThat(received.block(LIMIT)).isEqualTo(sent);
    }

    @Test
    void tcpEchoes() {
        DisposableServer server = TcpServer.create()
                .runOn(loops)
                .host("127.0.0.1")
                .port(0)
                .handle((in, out) -> out.send(in.receive().retain()))
                .bindNow(LIMIT);
        Connection client = TcpClient.create()
                .runOn(loops)
                .host("127.0.0.1")
                .port(server.port())
                .connectNow(LIMIT);
        try {
            channels.add(client.channel());
            echo(client);
            awaitPath("shm");
        } finally {
            client.disposeNow(LIMIT);
            server.disposeNow(LIMIT);
        }
    }

    @Test
    void datagramsArrive() {
        Queue<String> received = new ConcurrentLinkedQueue<>();
        Connection server = UdpServer.create()
                .runOn(loops)
                .host("127.0.0.1")
                .port(0)
                .handle((in, out) -> in.receiveObject()
                        .cast(DatagramPacket.class)
                        .map(packet -> packet.content().toString(StandardCharsets.US_ASCII))
                        .doOnNext(received::add)
                        .then())
                .bindNow(LIMIT);
        InetSocketAddress address = (InetSocketAddress) server.channel().localAddress();
        Connection client = UdpClient.create()
                .runOn(loops)
                .host("127.0.0.1")
                .port(address.getPort())
                .connectNow(LIMIT);
        try {
            client.channel()
                    .writeAndFlush(Unpooled.copiedBuffer("datagram", StandardCharsets.US_ASCII))
                    .syncUninterruptibly();
            await().atMost(LIMIT).until(() -> received.contains("datagram"));
        } finally {
            client.disposeNow(LIMIT);
            server.disposeNow(LIMIT);
        }
    }

    @Test
    void threadsMayNotBlock() throws Exception {
        boolean isNonBlocking =
                loops.onServer(true).submit(Schedulers::isInNonBlockingThread).get();
        assertThat(isNonBlocking).isTrue();
        String name = loops.onClient(true)
                .submit(() -> Thread.currentThread().getName())
                .get();
        assertThat(name).startsWith("test-accel-");
    }

    private Connection connect(SocketAddress address) {
        Connection client =
                TcpClient.create().runOn(loops).remoteAddress(() -> address).connectNow(LIMIT);
        channels.add(client.channel());
        return client;
    }

    private void echoBy(SocketAddress address, Path file) {
        DisposableServer server = TcpServer.create()
                .runOn(loops)
                .bindAddress(() -> address)
                .doOnConnection(connection -> channels.add(connection.channel()))
                .handle((in, out) -> out.send(in.receive().retain()))
                .bindNow(LIMIT);
        try {
            assertThat(server.channel()).isInstanceOf(AccelServerDomainSocketChannel.class);
            assertThat(server.path()).isEqualTo(file.toString());
            Connection client = connect(address);
            try {
                echo(client);
                assertThat(channels).hasSize(2);
                awaitPath("shm");
            } finally {
                client.disposeNow(LIMIT);
            }
        } finally {
            server.disposeNow(LIMIT);
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void unixDomainSocketsAreAccelerated(@TempDir Path directory) {
        Path file = directory.resolve("socket");
        echoBy(UnixDomainSocketAddress.of(file), file);
    }

    /** The type of address that Reactor Netty's programs have from its native transports. */
    @Test
    void addressesOfTheNativeTransportsAreTaken(@TempDir Path directory) {
        Path file = directory.resolve("socket");
        echoBy(new DomainSocketAddress(file.toFile()), file);
    }

    @Test
    void anHttpServerOnAUnixDomainSocketIsAccelerated(@TempDir Path directory) {
        SocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        DisposableServer server = HttpServer.create()
                .runOn(loops)
                .bindAddress(() -> address)
                .doOnConnection(connection -> channels.add(connection.channel()))
                .handle((request, response) ->
                        response.sendString(Mono.just("hello " + request.uri() + " " + request.version())))
                .bindNow(LIMIT);
        try {
            Connection client = connect(address);
            try {
                Mono<String> received = received(client, all -> all.indexOf("hello /path HTTP/1.1") >= 0);
                client.outbound()
                        .sendString(Mono.just("GET /path HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                        .then()
                        .subscribe();
                assertThat(received.block(LIMIT)).startsWith("HTTP/1.1 200 OK");
                assertThat(channels).hasSize(2);
                awaitPath("shm");
            } finally {
                client.disposeNow(LIMIT);
            }
        } finally {
            server.disposeNow(LIMIT);
        }
    }

    /** It takes any channel but a {@code SocketChannel} or a {@code DomainSocketChannel} for one of HTTP/3. */
    @Test
    void anHttpClientOnAUnixDomainSocketIsRefusedWithAWayOut(@TempDir Path directory) {
        SocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        DisposableServer server = HttpServer.create()
                .runOn(loops)
                .bindAddress(() -> address)
                .handle((request, response) -> response.send())
                .bindNow(LIMIT);
        try {
            HttpClient plain = HttpClient.create(pool)
                    .runOn(loops)
                    .remoteAddress(() -> address)
                    .doOnChannelInit((observer, channel, remote) -> channels.add(channel));
            HttpClient secure = plain.secure();
            HttpClient negotiated = secure.protocol(HttpProtocol.H2, HttpProtocol.HTTP11);
            for (HttpClient client : List.of(plain, secure, negotiated)) {
                assertThatThrownBy(() -> client.get().uri("/").response().block(LIMIT))
                        .hasStackTraceContaining("for this client use runOn");
            }
            assertThat(channels).hasSize(3);
            await().atMost(LIMIT).until(() -> channels.stream().noneMatch(Channel::isOpen));
        } finally {
            server.disposeNow(LIMIT);
        }
    }

    @Test
    void unixDomainSocketsThatCannotBeSayWhy(@TempDir Path directory) throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> TcpClient.create()
                        .runOn(loops)
                        .remoteAddress(() -> UnixDomainSocketAddress.of(directory.resolve("nothing")))
                        .connectNow(LIMIT))
                .hasStackTraceContaining("No such file or directory");
        assertThatThrownBy(() -> TcpServer.create()
                        .runOn(loops)
                        .bindAddress(() -> UnixDomainSocketAddress.of(file))
                        .bindNow(LIMIT))
                .hasStackTraceContaining(file + " exists");
        assertThatThrownBy(() -> TcpServer.create()
                        .runOn(loops)
                        .bindAddress(() -> new DomainSocketAddress("x".repeat(200)))
                        .bindNow(LIMIT))
                .hasStackTraceContaining("Unix domain path too long");
    }

    @Test
    void channelsThatAccelDoesNotHaveAreRefused() {
        assertThatThrownBy(() -> loops.onChannel(DomainDatagramChannel.class, loops.onClient(true)))
                .hasMessage(
                        "Accel has no DomainDatagramChannel; for these channels use runOn(LoopResources.create(NAME))");
    }

    @Test
    void countsAndNamesAreChecked() {
        assertThatThrownBy(() -> AccelLoopResources.create("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AccelLoopResources.create("x", -1, 0, true))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AccelLoopResources.create("x", 0, 1, true))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
