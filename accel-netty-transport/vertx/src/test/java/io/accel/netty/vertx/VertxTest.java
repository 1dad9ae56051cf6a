// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.vertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.netty.AccelChannelOption;
import io.accel.netty.AccelDomainSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.accel.testing.ChildJvm;
import io.accel.testing.RealProgram;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramChannel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.datagram.DatagramSocket;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.net.TcpOption;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.spi.transport.Transport;
import java.lang.reflect.Proxy;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs of Vert.x as they would be without Accel; only the code that looks at the path knows of Accel. */
@RealProgram(
        name = "Vert.x on Accel's transport",
        artifact = "io.vertx:vertx-core",
        how = "HTTP, TCP and its options, Unix-domain sockets, files, datagrams, without a change to the program")
@Timeout(30)
class VertxTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final String HOST = "127.0.0.1";

    private Vertx vertx;

    // Vert.x closes a client's connections once the client itself is garbage: these hold it until the test ends.
    private NetClient netClient;
    private HttpClient httpClient;

    @AfterEach
    void stop() throws Exception {
        if (vertx != null) {
            get(vertx.close());
        }
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private NetClient netClient() {
        netClient = vertx.createNetClient();
        return netClient;
    }

    private static Channel channel(Object connection) {
        return ((ConnectionBase) connection).channel();
    }

    private static String pathOf(Channel channel) {
        return channel instanceof AccelDomainSocketChannel unix
                ? unix.path().path()
                : ((AccelSocketChannel) channel).path().path();
    }

    private static void awaitPath(Set<Channel> channels, String path) {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(channels)
                .allSatisfy(channel -> assertThat(pathOf(channel)).isEqualTo(path)));
    }

    private void exchange() throws Exception {
        Set<Channel> channels = ConcurrentHashMap.newKeySet();
        HttpServer server = vertx.createHttpServer()
                .connectionHandler(connection -> channels.add(channel(connection)))
                .requestHandler(request ->
                        request.body().onSuccess(body -> request.response().end(request.uri() + " " + body)));
        get(server.listen(0, HOST));
        httpClient = vertx.createHttpClient();
        for (int i = 0; i < 30; i++) {
            String body = "0123456789".repeat(i * 100);
            Buffer answer = get(httpClient
                    .request(HttpMethod.POST, server.actualPort(), HOST, "/" + i)
                    .compose(request -> {
                        channels.add(channel(request.connection()));
                        // In the event loop: the body may have come and gone before this thread asks for it.
                        return request.send(body).compose(HttpClientResponse::body);
                    }));
            assertThat(answer.toString()).isEqualTo("/" + i + " " + body);
        }
        assertThat(channels).hasSizeGreaterThanOrEqualTo(2);
        awaitPath(channels, "shm");
    }

    @Test
    void httpIsAcceleratedWithoutAWordOfIt() throws Exception {
        vertx = Vertx.vertx();
        assertThat(vertx.isNativeTransportEnabled()).isTrue();
        exchange();
    }

    @Test
    void preferringANativeTransportGivesAccels() throws Exception {
        vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
        assertThat(((VertxInternal) vertx).transport()).isInstanceOf(AccelTransport.class);
        exchange();
    }

    @Test
    void tcpEchoesAndSendsFiles(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "0123456789".repeat(100_000));
        vertx = Vertx.vertx();
        Set<Channel> channels = ConcurrentHashMap.newKeySet();
        NetServer server = vertx.createNetServer().connectHandler(socket -> {
            channels.add(channel(socket));
            socket.handler(asked -> socket.sendFile(asked.toString()).onSuccess(sent -> socket.end()));
        });
        get(server.listen(0, HOST));
        NetSocket client = get(netClient().connect(server.actualPort(), HOST));
        channels.add(channel(client));
        Buffer received = Buffer.buffer();
        Future<Void> ended =
                Future.future(promise -> client.handler(received::appendBuffer).endHandler(promise::complete));
        get(client.write(file.toString()));
        get(ended);
        assertThat(received.toString()).isEqualTo(Files.readString(file));
        assertThat(channels).hasSize(2).allSatisfy(channel -> assertThat(channel)
                .isInstanceOf(AccelSocketChannel.class));
    }

    private static void assertEchoes(NetSocket client) throws Exception {
        String sent = "0123456789".repeat(100_000);
        Buffer received = Buffer.buffer();
        Future<Void> all = Future.future(promise -> client.handler(part -> {
            received.appendBuffer(part);
            if (received.length() >= sent.length()) {
                promise.complete();
            }
        }));
        get(client.write(sent));
        get(all);
        assertThat(received.toString()).isEqualTo(sent);
    }

    @Test
    void tcpIsAccelerated() throws Exception {
        vertx = Vertx.vertx();
        Set<Channel> channels = ConcurrentHashMap.newKeySet();
        NetServer server = vertx.createNetServer().connectHandler(socket -> {
            channels.add(channel(socket));
            socket.handler(socket::write);
        });
        get(server.listen(0, HOST));
        NetSocket client = get(netClient().connect(server.actualPort(), HOST));
        channels.add(channel(client));
        assertEchoes(client);
        awaitPath(channels, "shm");
    }

    @Test
    void whatNativeTransportsCanSetIsSet() throws Exception {
        vertx = Vertx.vertx();
        NetServerOptions options = new NetServerOptions().setReusePort(true).setTcpKeepAlive(true);
        options.setTcpKeepAliveIdleSeconds(77);
        options.setTcpKeepAliveIntervalSeconds(7);
        options.setTcpKeepAliveCount(3);
        Queue<Channel> accepted = new ConcurrentLinkedQueue<>();
        NetServer one = vertx.createNetServer(options).connectHandler(socket -> accepted.add(channel(socket)));
        get(one.listen(0, HOST));
        Vertx second = Vertx.vertx();
        try {
            NetServer other = second.createNetServer(options).connectHandler(socket -> accepted.add(channel(socket)));
            get(other.listen(one.actualPort(), HOST)); // the port is in use without SO_REUSEPORT
            get(netClient().connect(one.actualPort(), HOST));
            await().atMost(LIMIT).until(() -> !accepted.isEmpty());
            ChannelConfig config = accepted.element().config();
            assertThat(config.getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
            assertThat(config.getOption(AccelChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE)))
                    .isEqualTo(77);
            assertThat(config.getOption(AccelChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL)))
                    .isEqualTo(7);
            assertThat(config.getOption(AccelChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT)))
                    .isEqualTo(3);
        } finally {
            get(second.close());
        }
    }

    @Test
    void unixDomainSocketsAreAccelerated(@TempDir Path directory) throws Exception {
        vertx = Vertx.vertx();
        assertThat(((VertxInternal) vertx).transport().supportsDomainSockets()).isTrue();
        Path file = directory.resolve("socket");
        SocketAddress address = SocketAddress.domainSocketAddress(file.toString());
        Set<Channel> channels = ConcurrentHashMap.newKeySet();
        Queue<NetSocket> accepted = new ConcurrentLinkedQueue<>();
        NetServer server = vertx.createNetServer().connectHandler(socket -> {
            channels.add(channel(socket));
            accepted.add(socket);
            socket.handler(socket::write);
        });
        get(server.listen(address));
        NetSocket client = get(netClient().connect(address));
        channels.add(channel(client));
        assertEchoes(client);
        assertThat(channels).hasSize(2);
        awaitPath(channels, "shm");
        assertThat(client.remoteAddress()).isEqualTo(address);
        assertThat(accepted.element().localAddress()).isEqualTo(address);
        // The kernel gives a client no name; Vert.x tells the server's instead, as on its native transports.
        assertThat(client.localAddress()).isEqualTo(address);
        assertThat(accepted.element().remoteAddress()).isEqualTo(address);
        get(server.close());
        assertThat(file).doesNotExist();
    }

    @Test
    void httpOverAUnixDomainSocketIsAccelerated(@TempDir Path directory) throws Exception {
        vertx = Vertx.vertx();
        SocketAddress address =
                SocketAddress.domainSocketAddress(directory.resolve("socket").toString());
        Set<Channel> channels = ConcurrentHashMap.newKeySet();
        HttpServer server = vertx.createHttpServer()
                .connectionHandler(connection -> channels.add(channel(connection)))
                .requestHandler(request ->
                        request.body().onSuccess(body -> request.response().end(request.uri() + " " + body)));
        get(server.listen(address));
        httpClient = vertx.createHttpClient();
        for (int i = 0; i < 30; i++) {
            RequestOptions asked = new RequestOptions()
                    .setServer(address)
                    .setHost("localhost")
                    .setMethod(HttpMethod.POST)
                    .setURI("/" + i);
            Buffer answer = get(httpClient.request(asked).compose(request -> {
                channels.add(channel(request.connection()));
                return request.send("body").compose(HttpClientResponse::body);
            }));
            assertThat(answer.toString()).isEqualTo("/" + i + " body");
        }
        assertThat(channels).hasSizeGreaterThanOrEqualTo(2);
        awaitPath(channels, "shm");
    }

    /** Options of TCP that a Unix-domain channel does not have are left out, as on Vert.x's native transports. */
    @Test
    void optionsOfTcpAreLeftOutForUnixDomainSockets() {
        TcpConfig config = new TcpConfig()
                .setSoReusePort(true)
                .setOption(TcpOption.QUICKACK, true)
                .setOption(TcpOption.KEEPIDLE, 77);
        AccelTransport transport = new AccelTransport();
        ServerBootstrap server = new ServerBootstrap();
        transport.configure(config, true, server);
        assertThat(server.config().options()).isEmpty();
        assertThat(server.config().childOptions()).isEmpty();
        Bootstrap client = new Bootstrap();
        transport.configure(config, true, client);
        assertThat(client.config().options()).isEmpty();
    }

    @Test
    void unixDomainSocketsThatCannotBeSayWhy(@TempDir Path directory) throws Exception {
        vertx = Vertx.vertx();
        Path nothing = directory.resolve("nothing");
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> get(netClient().connect(SocketAddress.domainSocketAddress(nothing.toString()))))
                .hasRootCauseInstanceOf(SocketException.class)
                .hasStackTraceContaining("No such file or directory");
        assertThatThrownBy(() -> get(vertx.createNetServer()
                        .connectHandler(NetSocket::close)
                        .listen(SocketAddress.domainSocketAddress(file.toString()))))
                .hasStackTraceContaining(file + " exists");
        assertThatThrownBy(() -> get(netClient().connect(SocketAddress.domainSocketAddress("x".repeat(200)))))
                .hasStackTraceContaining("Unix domain path too long");
    }

    @Test
    void aTransportThatTheProgramNamesStays() {
        // One of Vert.x's native transports, whose libraries are not here.
        Transport named = (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.toString());
                });
        VertxBootstrap bootstrap = VertxBootstrap.create().transport(named);
        new AccelVertxProvider().init(bootstrap);
        assertThat(bootstrap.transport() == named).isTrue();
        bootstrap.options(new VertxOptions().setPreferNativeTransport(true));
        new AccelVertxProvider().init(bootstrap);
        assertThat(bootstrap.transport()).isInstanceOf(AccelTransport.class);
    }

    @Test
    void datagramsArrive() throws Exception {
        vertx = Vertx.vertx();
        Queue<String> received = new ConcurrentLinkedQueue<>();
        DatagramSocket server = vertx.createDatagramSocket()
                .handler(packet -> received.add(packet.data().toString()));
        get(server.listen(0, HOST));
        DatagramSocket client = vertx.createDatagramSocket();
        get(client.send("datagram", server.localAddress().port(), HOST));
        await().atMost(LIMIT).until(() -> received.contains("datagram"));
    }

    @Test
    void datagramsAreConfiguredAsOnNio() {
        AccelTransport transport = new AccelTransport();
        DatagramChannel channel = transport.datagramChannelFactory().newChannel();
        try {
            transport.configure(
                    channel,
                    new DatagramSocketOptions()
                            .setMulticastTimeToLive(7)
                            .setMulticastNetworkInterface("lo")
                            .setReusePort(true));
            assertThat(channel.config().getTimeToLive()).isEqualTo(7);
            assertThat(channel.config().getNetworkInterface().getName()).isEqualTo("lo");
            assertThat(channel.config().getOption(AccelChannelOption.of(StandardSocketOptions.SO_REUSEPORT)))
                    .isTrue();
            DatagramSocketOptions wrong = new DatagramSocketOptions().setMulticastNetworkInterface("none");
            assertThatThrownBy(() -> transport.configure(channel, wrong))
                    .hasMessage("there is no network interface named none");
        } finally {
            channel.unsafe().closeForcibly();
        }
    }

    /** In profile off, which then holds for the whole process, the jar changes nothing. */
    @Test
    void profileOffLeavesVertxAlone() throws Exception {
        String output =
                new ChildJvm(Program.class).with("-Daccel.profile=off").run().orderly();
        assertThat(output).contains("io.vertx.core.impl.transports.NioTransport");
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            Vertx vertx = Vertx.vertx();
            System.out.println(((VertxInternal) vertx).transport().getClass().getName());
            get(vertx.close());
        }
    }
}
