// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A program whose standard input is a socket: {@code System.inheritedChannel} of all three kinds, and a selector that takes it. */
class InheritedChannelIT {
    /** A super server such as inetd makes a socket the program's standard input. {@code S} is the socket. */
    private static final String START = "open(STDIN, '<&', S) or die; exec @ARGV or die $!;";

    /** For both versions of IP, as in such servers: the newest JDKs do not answer datagrams of a socket for IPv4 alone. */
    private static final String BEGIN =
            "use Socket qw(:DEFAULT IN6ADDR_ANY pack_sockaddr_in6 unpack_sockaddr_in6); $| = 1; socket(S, PF_INET6, %s, 0) or die $!;"
                    + " bind(S, pack_sockaddr_in6(0, IN6ADDR_ANY)) or die $!;";

    private static final String LISTEN = " listen(S, 5) or die $!;";
    /** Once it can be reached. */
    private static final String SAY_PORT = " print 'port ', (unpack_sockaddr_in6(getsockname(S)))[0], \"\\n\";";

    @TempDir
    private Path dir;

    static Stream<Arguments> programs() {
        String both = Child.JAR + File.pathSeparator + Child.testClasses();
        String alone = Child.testClasses().toString();
        return Child.jdks()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(jdk, List.of("-cp", alone)),
                        Arguments.of(jdk, List.of("-cp", both, Child.PROVIDER)),
                        Arguments.of(jdk, List.of("-javaagent:" + Child.JAR, "-cp", alone))));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aConnection(Path jdk, List<String> options) throws Exception {
        String script = BEGIN.formatted("SOCK_STREAM") + LISTEN + SAY_PORT + " accept(C, S) or die $!; *S = *C;";
        try (Child child = start(script, jdk, options)) {
            echoThroughAStream(child);
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aListener(Path jdk, List<String> options) throws Exception {
        try (Child child = start(BEGIN.formatted("SOCK_STREAM") + LISTEN + SAY_PORT, jdk, options)) {
            echoThroughAStream(child);
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aDatagramSocket(Path jdk, List<String> options) throws Exception {
        try (Child child = start(BEGIN.formatted("SOCK_DGRAM") + SAY_PORT, jdk, options);
                DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            int port = Integer.parseInt(child.awaitRest("port "));
            socket.setSoTimeout(20_000);
            for (String text : List.of("first", "second", ".")) {
                byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
                socket.send(new DatagramPacket(bytes, bytes.length, InetAddress.getLoopbackAddress(), port));
                DatagramPacket echo = new DatagramPacket(new byte[16], 16);
                socket.receive(echo);
                assertThat(new String(echo.getData(), 0, echo.getLength(), StandardCharsets.US_ASCII))
                        .isEqualTo(text);
            }
            assertThat(child.status()).as(child.output()).isZero();
        }
    }

    private Child start(String script, Path jdk, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of("perl", "-e", script + START));
        command.add(jdk.resolve("bin/java").toString());
        command.add("-Daccel.handover.after=connect");
        command.addAll(options);
        command.add(InheritedEcho.class.getName());
        return Child.start(dir, command);
    }

    private static void echoThroughAStream(Child child) throws Exception {
        int port = Integer.parseInt(child.awaitRest("port "));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            for (String text : List.of("first", "second")) {
                byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
                socket.getOutputStream().write(bytes);
                assertThat(socket.getInputStream().readNBytes(bytes.length)).isEqualTo(bytes);
            }
            socket.shutdownOutput();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(child.status()).as(child.output()).isZero();
    }
}
