// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.RealProgram;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The HTTP sample, plain and over TLS. */
@RealProgram(
        name = "Netty's HTTP/1.1 on Accel's transport",
        artifact = "io.netty:netty-codec-http",
        how = "requests kept alive and pipelined, large bodies, with TLS and without, and with NIO at either end")
class HttpIT {
    private static final String PASSWORD = "changeit";

    @TempDir
    Path directory;

    private EventLoopGroup group;

    @AfterEach
    void stop() throws InterruptedException {
        if (group != null) {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "unix", mode = EnumSource.Mode.EXCLUDE)
    void keepsAliveAndPipelines(Transport transport) throws Exception {
        Transports.assumeAvailable(transport);
        exchange(transport, transport, null, null);
    }

    @Test
    void servesPeersWithoutAccel() throws Exception {
        exchange(Transport.accel, Transport.nio, null, null);
        exchange(Transport.nio, Transport.accel, null, null);
    }

    @ParameterizedTest
    @EnumSource(names = {"accel", "nio"})
    void speaksTls(Transport transport) throws Exception {
        Path store = selfSigned();
        exchange(transport, transport, Tls.server(store, PASSWORD), Tls.client(store, PASSWORD));
    }

    private void exchange(Transport server, Transport client, SslContext serverTls, SslContext clientTls)
            throws Exception {
        group = server.newGroup(2);
        Channel listener = HttpServer.start(server, group, 0, serverTls);
        InetSocketAddress bound = (InetSocketAddress) listener.localAddress();
        InetSocketAddress address = new InetSocketAddress("localhost", bound.getPort());
        try (HttpClient http = new HttpClient(client, address, clientTls)) {
            boolean accelerated = server == Transport.accel && client == Transport.accel;
            // A server that has not accepted yet when the client has connected has the link a moment later.
            long start = System.nanoTime();
            do {
                http.send(HttpMethod.GET, "/alone", "");
                assertThat(http.receive()).isEqualTo(new HttpClient.Answer(200, "Hello, /alone!\n"));
            } while (accelerated
                    && !Transports.pathOf(http.channel()).equals("shm")
                    && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10));
            assertThat(Transports.pathOf(http.channel())).isEqualTo(accelerated ? "shm" : "kernel");
            for (int i = 0; i < 100; i++) {
                http.send(HttpMethod.GET, "/" + i, "");
            }
            for (int i = 0; i < 100; i++) {
                assertThat(http.receive()).isEqualTo(new HttpClient.Answer(200, "Hello, /" + i + "!\n"));
            }
            String large = "0123456789abcdef".repeat(50_000);
            for (int i = 0; i < 3; i++) {
                http.send(HttpMethod.POST, "/", large + i);
            }
            for (int i = 0; i < 3; i++) {
                assertThat(http.receive()).isEqualTo(new HttpClient.Answer(200, large + i));
            }
            http.send(HttpMethod.DELETE, "/", "");
            assertThat(http.receive().status()).isEqualTo(405);
        }
        listener.close().sync();
    }

    /** A key and a certificate for localhost, made by the JDK's own tool. */
    private Path selfSigned() throws Exception {
        Path store = directory.resolve("localhost.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "localhost",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as("keytool: %s", said).isZero();
        return store;
    }
}
