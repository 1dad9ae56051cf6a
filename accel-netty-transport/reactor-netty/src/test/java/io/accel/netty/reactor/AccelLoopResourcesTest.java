// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.netty.AccelServerSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.accel.testing.RealProgram;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
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
        how = "HTTP, TCP, UDP; loops named and global; peers on NIO")
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

    private void awaitPath(String path) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(channels).isNotEmpty().allSatisfy(channel -> assertThat(
                                ((AccelSocketChannel) channel).path().path())
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
            String sent = "0123456789".repeat(100_000);
            Mono<String> received = client.inbound()
                    .receive()
                    .asString(StandardCharsets.US_ASCII)
                    .scan(new StringBuilder(), StringBuilder::append)
                    .filter(all -> all.length() >= sent.length())
                    .next()
                    .map(StringBuilder::toString);
            client.outbound()
                    .sendString(Flux.just(sent), StandardCharsets.US_ASCII)
                    .then()
                    .subscribe();
            assertThat(received.block(LIMIT)).isEqualTo(sent);
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

    @Test
    void unixDomainSocketsAreRefusedWithAWayOut(@TempDir Path directory) {
        HttpServer server = HttpServer.create()
                .runOn(loops)
                .bindAddress(() ->
                        new DomainSocketAddress(directory.resolve("socket").toFile()))
                .handle((request, response) -> response.send());
        assertThatThrownBy(() -> server.bindNow(LIMIT)).hasStackTraceContaining("for Unix-domain sockets use runOn");
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
