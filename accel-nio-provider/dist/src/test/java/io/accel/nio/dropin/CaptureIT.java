// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code accel capture} of an echo between two JVMs is a file of packets with each byte, or each datagram, in order. */
@Timeout(120)
class CaptureIT {
    private static final Path TSHARK = Path.of("/usr/bin/tshark");
    private static final int BEFORE = 100;
    private static final int ECHOES = 200;
    private static final int MESSAGE = 64;
    private static final int FIN = 1;
    private static final int TCP = 6;
    private static final int UDP = 17;
    /** More than the bytes that a capture writes without a packet, or with a few packets. */
    private static final int SOME_BYTES = 5_000;

    private static final long PATIENCE_NANOS = 30_000_000_000L;

    @TempDir
    private Path dir;

    private Path file;
    private EchoPair pair;
    private Child server;
    private Child client;
    private int port;

    /** A segment of a file. */
    private record Segment(boolean fromServer, int sequence, int acknowledged, int flags, int length) {}

    /** A datagram of a file. */
    private record Datagram(boolean fromServer, int number) {}

    @BeforeEach
    void connect() throws IOException {
        file = dir.resolve("capture.pcapng");
        use(new EchoPair(dir, BEFORE));
    }

    private void use(EchoPair used) {
        pair = used;
        server = pair.server;
        client = pair.client;
        port = Integer.parseInt(pair.port);
    }

    @AfterEach
    void end() throws IOException {
        pair.close();
    }

    /** The server waits in a read when the capture begins, and when it ends. */
    @Test
    void fromBeginningToEndEachByteIsThereInOrder() throws Exception {
        try (Child capture = capture(server, "--port=" + port, "--port=1")) {
            capture.awaitOutput("writing to");
            server.awaitOutput("begins to copy what accelerated paths carry");
            echo();
            stop(capture);
            assertThat(capture.output()).contains("accel capture: " + 2 * ECHOES + " packets\n");
        }
        assertAllIsThere();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        server.awaitOutput("has ended: " + 2 * ECHOES + " packets, and 0 dropped");
        pair.echo(10);
    }

    /** The process waits until what it did last was written. */
    @Test
    void itEndsWithTheProcess() throws Exception {
        captureAClientToItsEnd();
        List<Segment> segments = segments();
        assertThat(bytes(segments, false)).isEqualTo(ECHOES * MESSAGE);
        assertThat(bytes(segments, true)).isEqualTo(ECHOES * MESSAGE);
    }

    @Test
    void othersReadStreamsWithoutACorrection() throws Exception {
        assumeThat(TSHARK).as("needs tshark").isExecutable();
        captureAClientToItsEnd();
        String odd = "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || tcp.analysis.flags";
        assertThat(tshark(odd)).isEmpty();
        assertThat(tshark("tcp")).isNotEmpty().hasSameSizeAs(segments());
    }

    private void captureAClientToItsEnd() throws Exception {
        try (Child capture = capture(client)) {
            capture.awaitOutput("writing to");
            echo();
            client.closeInput();
            assertThat(client.status()).isZero();
            assertThat(capture.status()).as(capture.output()).isEqualTo(1);
            assertThat(capture.output()).contains("the process has ended");
        }
    }

    /** The server is captured, and the program has got all bytes, whatever the kernel had carried before. */
    @Test
    void ofDatagramsEachIsThereSinceTheFirstThatWasAccelerated() throws Exception {
        int sent = captureDatagrams();
        List<Datagram> datagrams = datagrams();
        assertThat(datagrams).hasSizeGreaterThan(2 * ECHOES);
        for (boolean fromServer : new boolean[] {false, true}) {
            int[] numbers = datagrams.stream()
                    .filter(each -> each.fromServer() == fromServer)
                    .mapToInt(Datagram::number)
                    .toArray();
            assertThat(numbers)
                    .isEqualTo(IntStream.range(sent - numbers.length, sent).toArray());
        }
    }

    @Test
    void othersReadDatagramsWithoutACorrection() throws Exception {
        assumeThat(TSHARK).as("needs tshark").isExecutable();
        int unused = captureDatagrams();
        String right = "udp.checksum.status == 1 && ip.checksum.status == 1 && udp.length == " + (8 + MESSAGE);
        assertThat(tshark(right)).isNotEmpty().hasSameSizeAs(datagrams());
    }

    /** Returns the number of messages that the client has sent; the latest were captured. */
    private int captureDatagrams() throws Exception {
        pair.close();
        use(new EchoPair(dir, 1, DatagramEchoPeer.class));
        int sent = 1;
        try (Child capture = capture(server, "--port=" + port)) {
            capture.awaitOutput("writing to");
            long empty = Files.size(file);
            long patience = System.nanoTime() + PATIENCE_NANOS;
            while (Files.size(file) < empty + SOME_BYTES) { // they go through the kernel until there is a link
                assertThat(System.nanoTime()).isLessThan(patience);
                pair.echo(10);
                sent += 10;
            }
            echo();
            sent += ECHOES;
            stop(capture);
            assertThat(capture.output()).contains(" packets\n").doesNotContain("dropped");
        }
        return sent;
    }

    @Test
    void aCountEndsItAndSoDoesATime() throws Exception {
        try (Child capture = capture(client, "-c", "50")) {
            capture.awaitOutput("writing to");
            echo();
            assertThat(capture.status()).as(capture.output()).isZero();
        }
        assertThat(segments()).hasSize(50);
        Files.delete(file);
        try (Child capture = capture(client, "--seconds=1", "--port=1")) {
            capture.awaitOutput("writing to");
            echo();
            assertThat(capture.status()).as(capture.output()).isZero();
        }
        assertThat(segments()).as("of another port").isEmpty();
    }

    @Test
    void aSecondOneIsRefusedAndTheEndOfTheFirstMakesRoom() throws Exception {
        Path second = dir.resolve("second");
        try (Child first = capture(client)) {
            first.awaitOutput("writing to");
            try (Child refused = pair.accel("capture", pid(client), "-w", second.toString())) {
                assertThat(refused.status()).isEqualTo(1);
                assertThat(refused.output()).contains("another capture of this process is under way");
                assertThat(second).doesNotExist();
            }
        }
        client.awaitOutput("has ended: "); // the first was killed
        try (Child third = pair.accel("capture", pid(client), "--seconds=1", "-w", second.toString())) {
            assertThat(third.status()).as(third.output()).isZero();
        }
    }

    @Test
    void aFileThatCannotBeMadeIsSaidAndOneOfSeveralMustBeNamed() throws Exception {
        Files.writeString(file, "precious");
        try (Child capture = capture(client)) {
            assertThat(capture.status()).isEqualTo(1);
            assertThat(capture.output()).contains(file + " exists already");
        }
        assertThat(file).hasContent("precious");
        Path nowhere = dir.resolve("none").resolve("file");
        try (Child capture = pair.accel("capture", pid(client), "-w", nowhere.toString())) {
            assertThat(capture.status()).isEqualTo(1);
            assertThat(capture.output())
                    .isEqualTo("accel capture: " + nowhere + " cannot be written: there is no such directory\n");
        }
        try (Child capture = pair.accel("capture", "-w", dir.resolve("other").toString())) {
            assertThat(capture.status()).isEqualTo(2);
            assertThat(capture.output()).contains("name one of [").contains(pid(client), pid(server));
        }
    }

    private void echo() throws IOException {
        pair.echo(ECHOES);
    }

    private static void stop(Child capture) throws InterruptedException {
        ProcessHandle.of(capture.pid()).orElseThrow().destroy();
        capture.status();
    }

    private void assertAllIsThere() throws IOException {
        List<Segment> segments = segments();
        assertThat(bytes(segments, false)).isEqualTo(ECHOES * MESSAGE);
        assertThat(bytes(segments, true)).isEqualTo(ECHOES * MESSAGE);
        assertThat(segments).noneMatch(each -> (each.flags() & FIN) != 0);
    }

    /** How many bytes a direction has, each once and in order. */
    private static int bytes(List<Segment> segments, boolean fromServer) {
        Map<Boolean, Integer> next = new HashMap<>();
        int bytes = 0;
        for (Segment segment : segments) {
            assertThat(segment.sequence()).isEqualTo(next.getOrDefault(segment.fromServer(), BEFORE * MESSAGE));
            assertThat(segment.acknowledged()).isEqualTo(next.getOrDefault(!segment.fromServer(), BEFORE * MESSAGE));
            next.put(segment.fromServer(), segment.sequence() + segment.length());
            bytes += segment.fromServer() == fromServer ? segment.length() : 0;
        }
        return bytes;
    }

    private List<Segment> segments() throws IOException {
        return packets().stream().map(this::segment).toList();
    }

    private List<Datagram> datagrams() throws IOException {
        return packets().stream().map(this::datagram).toList();
    }

    private List<ByteBuffer> packets() throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
        List<ByteBuffer> packets = new ArrayList<>();
        while (all.hasRemaining()) {
            int at = all.position();
            int length = all.getInt(at + 4);
            assertThat(all.getInt(at + length - 4)).isEqualTo(length);
            if (all.getInt(at) == 6) {
                packets.add(all.slice(at + 28, all.getInt(at + 20)));
            }
            all.position(at + length);
        }
        return packets;
    }

    /** An IPv4 header and a TCP header, without options. */
    private Segment segment(ByteBuffer packet) {
        boolean fromServer = isFromServer(packet, TCP);
        return new Segment(fromServer, packet.getInt(24), packet.getInt(28), packet.get(33), packet.limit() - 40);
    }

    /** An IPv4 header without options, a UDP header, and a number. */
    private Datagram datagram(ByteBuffer packet) {
        boolean fromServer = isFromServer(packet, UDP);
        assertThat(packet.limit()).isEqualTo(28 + MESSAGE);
        return new Datagram(fromServer, packet.getInt(28));
    }

    private boolean isFromServer(ByteBuffer packet, int protocol) {
        assertThat(packet.get(9)).isEqualTo((byte) protocol);
        boolean fromServer = Short.toUnsignedInt(packet.getShort(20)) == port;
        assertThat(Short.toUnsignedInt(packet.getShort(fromServer ? 20 : 22))).isEqualTo(port);
        return fromServer;
    }

    /** The numbers of the packets that a filter lets through. */
    private List<String> tshark(String filter) throws Exception {
        List<String> command = List.of(
                TSHARK.toString(),
                "-r",
                file.toString(),
                "-o",
                "tcp.check_checksum:TRUE",
                "-o",
                "udp.check_checksum:TRUE",
                "-o",
                "ip.check_checksum:TRUE",
                "-Y",
                filter,
                "-T",
                "fields",
                "-e",
                "frame.number");
        try (Child tshark = Child.start(dir, command)) {
            assertThat(tshark.status()).as(tshark.output()).isZero();
            return tshark.output().lines().filter(line -> line.matches("\\d+")).toList();
        }
    }

    private static String pid(Child child) {
        return String.valueOf(child.pid());
    }

    private Child capture(Child child, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("capture", pid(child), "-w", file.toString()));
        arguments.addAll(List.of(options));
        return pair.accel(arguments.toArray(String[]::new));
    }
}
