// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The streams, readers and writers that java.nio.channels.Channels makes of channels. */
@Tag("adaptor")
class ChannelStreamTest extends ContractSupport {
    @Test
    void muchGoesThrough() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(1, 4_000_000);
        Task<Void> writer = run(() -> {
            OutputStream out = Channels.newOutputStream(pair.client());
            out.write(expected[0]);
            out.write(expected, 1, expected.length - 1);
            pair.client().shutdownOutput();
        });
        InputStream in = Channels.newInputStream(pair.server());
        assertThat(in.read()).isEqualTo(expected[0] & 0xff);
        byte[] rest = in.readAllBytes();
        Bytes.assertSame(rest, Arrays.copyOfRange(expected, 1, expected.length));
        assertThat(in.read()).isEqualTo(-1);
        writer.result();
    }

    @Test
    void oneStreamFlowsIntoAnother() throws Exception {
        Pair first = pair();
        Pair second = pair();
        byte[] expected = Bytes.random(2, 3_000_000);
        Task<Void> source = run(() -> {
            Channels.newOutputStream(first.client()).write(expected);
            first.client().close();
        });
        Task<Long> relay = start(() -> {
            long n = Channels.newInputStream(first.server()).transferTo(Channels.newOutputStream(second.client()));
            second.client().close();
            return n;
        });
        Bytes.assertSame(Channels.newInputStream(second.server()).readAllBytes(), expected);
        assertThat(relay.result()).isEqualTo(expected.length);
        source.result();
    }

    @Test
    void linesOfText() throws Exception {
        Pair pair = pair();
        PrintWriter writer = new PrintWriter(Channels.newWriter(pair.client(), StandardCharsets.UTF_8), true);
        BufferedReader reader = new BufferedReader(Channels.newReader(pair.server(), StandardCharsets.UTF_8));
        for (int i = 0; i < 100; i++) {
            writer.println("line " + i + " äöü €");
            assertThat(reader.readLine()).isEqualTo("line " + i + " äöü €");
        }
        writer.close();
        assertThat(pair.client().isOpen()).isFalse();
        assertThat(reader.readLine()).isNull();
    }

    @Test
    void channelInNonBlockingModeIsRefused() throws IOException {
        Pair pair = pair().nonBlocking();
        InputStream in = Channels.newInputStream(pair.client());
        OutputStream out = Channels.newOutputStream(pair.client());
        assertThatThrownBy(() -> in.read()).isInstanceOf(IllegalBlockingModeException.class);
        assertThatThrownBy(() -> out.write(1)).isInstanceOf(IllegalBlockingModeException.class);
    }

    /** From JDK 19 on the two streams of a channel do not wait for each other. */
    @Test
    void streamsOfBothDirectionsAreIndependent() throws Exception {
        assumeTrue(Runtime.version().feature() >= 19, "older JDKs let the streams of one channel wait for each other");
        Pair pair = pair();
        for (int round = 0; round < 3; round++) {
            Task<Integer> reader =
                    start(Channels.newInputStream(pair.client())::read).awaitInside("read");
            Task<Void> writer =
                    run(() -> Channels.newOutputStream(pair.client()).write(7));
            assertThat(Bytes.read(pair.server(), 1)).containsExactly(7);
            writer.result();
            assertThat(reader.isDone()).isFalse();
            Bytes.write(pair.server(), Bytes.ascii("x"));
            assertThat(reader.result()).isEqualTo('x');
        }
    }

    @Test
    void aReaderTakesWhatComesWhileAWriterWaits() throws Exception {
        assumeTrue(Runtime.version().feature() >= 19, "as above");
        Pair pair = fullPair();
        byte[] much = new byte[1 << 20];
        Task<Void> writer = run(() -> Channels.newOutputStream(pair.client()).write(much));
        assertThat(writer.finishesWithin(100)).isFalse();
        Task<Integer> reader = start(Channels.newInputStream(pair.client())::read);
        Bytes.write(pair.server(), Bytes.ascii("x"));
        assertThat(reader.result()).isEqualTo('x');
        Task<byte[]> rest = start(() -> Bytes.readToEnd(pair.server()));
        writer.result();
        pair.client().shutdownOutput();
        assertThat(rest.result()).hasSizeGreaterThan(much.length);
    }

    @Test
    void aStreamThatWaitsEndsWithTheChannel() throws Exception {
        Pair pair = pair();
        Task<Integer> reader =
                start(Channels.newInputStream(pair.client())::read).awaitInside("read");
        assertThat(reader.finishesWithin(50)).isFalse();
        pair.client().close();
        assertThat(reader.failure()).isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void aStreamThatWaitsIsInterrupted() throws Exception {
        Pair pair = pair();
        Task<Boolean> reader = start(() -> {
                    try {
                        int unused = Channels.newInputStream(pair.client()).read();
                        return false;
                    } catch (ClosedByInterruptException e) {
                        return Thread.interrupted();
                    }
                })
                .awaitInside("read");
        assertThat(reader.finishesWithin(50)).isFalse();
        reader.interrupt();
        assertThat(reader.result()).isTrue();
        assertThat(pair.client().isOpen()).isFalse();
    }

    @Test
    void whatHasComeIsKnownOfTheJdksOwnChannel() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("ab"));
        InputStream in = Channels.newInputStream(pair.client());
        assertThat(in.read()).isEqualTo('a');
        boolean isKnown = Path.current() == Path.JDK && Runtime.version().feature() >= 19;
        assertThat(in.available()).isEqualTo(isKnown ? 1 : 0);
        assertThat(in.read()).isEqualTo('b');
    }

    @Test
    void closingAStreamClosesTheChannel() throws IOException {
        Pair pair = pair();
        Channels.newOutputStream(pair.client()).close();
        assertThat(pair.client().isOpen()).isFalse();
        InputStream in = Channels.newInputStream(pair.server());
        assertThat(in.read()).isEqualTo(-1);
        in.close();
        assertThat(pair.server().isOpen()).isFalse();
    }
}
