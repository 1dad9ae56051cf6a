// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.Child;
import java.time.Duration;

/** Two connected child JVMs, one of which sends to the other. Not safe for use by several threads. */
final class Ends implements AutoCloseable {
    static final Duration START = Duration.ofSeconds(20);
    /** How long an end may take to notice the fate of the other. */
    static final Duration NOTICE = Duration.ofSeconds(10);

    private static final Duration TRANSFER = Duration.ofSeconds(40);

    final Child source;
    final Child sink;
    final int port;

    private Ends(Child source, Child sink, int port) {
        this.source = source;
        this.sink = sink;
        this.port = port;
    }

    /** Starts both sides, connected, with neither moving data before it is told to {@code GO}. */
    static Ends connect(boolean sourceListens, Side source, Side sink) {
        return sourceListens ? connect(source, sink) : connect(sink, source);
    }

    private static Ends connect(Side listening, Side connecting) {
        Child listener = listening.with("at=listen").start();
        Child connector = null;
        try {
            int port = (int) listener.awaitNumber("PORT", START);
            connector = connecting.with("at=connect").with("port=" + port).start();
            connector.awaitLine("CONNECTED", START);
            listener.awaitLine("CONNECTED", START);
            boolean listenerSends = listening.name().equals("source");
            return new Ends(listenerSends ? listener : connector, listenerSends ? connector : listener, port);
        } catch (AssertionError e) {
            listener.close();
            if (connector != null) {
                connector.close();
            }
            throw e;
        }
    }

    /** Lets both go, and waits until so many bytes have arrived. */
    void runUntilRead(long bytes) {
        sink.send("GO");
        source.send("GO");
        awaitRead(bytes);
    }

    /** Waits until so many bytes in all have arrived. */
    void awaitRead(long bytes) {
        while (sink.awaitNumber("READ", TRANSFER) < bytes) {
            assertThat(sink.isAlive()).isTrue();
        }
    }

    /** Waits until the sink has seen the end of the stream, exactly after so many bytes. */
    void awaitEof(long bytes) {
        assertThat(sink.awaitLine("the end", Ends::isEnd, TRANSFER)).isEqualTo("EOF " + bytes);
        assertThat(sink.awaitExit(NOTICE)).as("exit status of %s", sink).isZero();
    }

    /**
     * Waits until the sink has noticed that the source is gone: after all that the source said it had written, an end
     * of stream or an {@code IOException}.
     */
    void awaitSinkNotices() {
        String end = sink.awaitLine("the end", Ends::isEnd, NOTICE);
        assertThat(sink.awaitExit(NOTICE)).as("exit status of %s", sink).isZero();
        assertThat(end).containsPattern("EOF \\d+|FAILED \\d+ java\\.(io|net)\\.");
        String kind = end.substring(0, end.indexOf(' '));
        assertThat(sink.latestNumber(kind).orElseThrow())
                .as("bytes received, and those that the source had said were written")
                .isGreaterThanOrEqualTo(source.latestNumber("WROTE").orElse(0L));
    }

    /** Waits until the source has noticed, by an {@code IOException}, that the sink is gone. */
    void awaitSourceNotices() {
        assertThat(source.awaitLine("FAILED ", NOTICE)).containsPattern("FAILED \\d+ java\\.(io|net)\\.");
        assertThat(source.awaitExit(NOTICE)).as("exit status of %s", source).isZero();
    }

    private static boolean isEnd(String line) {
        return line.startsWith("EOF ") || line.startsWith("FAILED ");
    }

    @Override
    public void close() {
        source.close();
        sink.close();
    }
}
