// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import io.accel.nio.contract.WithinLimit;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two ends that listen, and connect to each other at the same time. */
@Tag("stream")
@Tag("racing")
class CrossingTest extends ContractSupport {
    private static final int TIMES = 150;
    /** In each of so many rounds both connections live until they have moved; in the others they end at any moment. */
    private static final int EVERY = 10;

    private static final int LENGTH = 5_000;

    /** The two connections of one side: one that it has made, and one that it has accepted. */
    private record Ends(SocketChannel out, SocketChannel in) implements Closeable {
        void part() throws IOException {
            out.shutdownOutput();
            assertThat(Bytes.readToEnd(in)).isEmpty();
            in.shutdownOutput();
            assertThat(Bytes.readToEnd(out)).isEmpty();
        }

        @Override
        public void close() throws IOException {
            out.close();
            in.close();
        }
    }

    /** The only thread of each end connects first and then accepts, so neither may wait for the other to accept. */
    @Test
    @WithinLimit.Seconds(60)
    void bothConnectionsComeAboutAndStayApart() throws Exception {
        ServerSocketChannel first = listener();
        ServerSocketChannel second = listener();
        for (int i = 0; i < TIMES; i++) {
            Set<String> before = MappedRings.names();
            byte[] there = Bytes.random(2L * i, LENGTH);
            byte[] back = Bytes.random(2L * i + 1, LENGTH);
            Task<Ends> meeting = start(() -> meet(first, second, there, back));
            try (Ends one = meet(second, first, back, there);
                    Ends other = meeting.result()) {
                if (i % EVERY == 0) {
                    awaitMoves(one, other, before);
                }
                Task<Void> parting = run(other::part);
                one.part();
                parting.result();
            }
        }
    }

    /** Sends over the connection that it has made, and then sends the bytes of the accepted connection back over that one. */
    private Ends meet(ServerSocketChannel own, ServerSocketChannel others, byte[] mine, byte[] theirs)
            throws IOException {
        SocketChannel out = closing(SocketChannel.open(destination(others)));
        SocketChannel in = closing(own.accept());
        Bytes.write(out, mine);
        Bytes.assertSame(Bytes.read(in, LENGTH), theirs);
        Bytes.write(in, theirs);
        Bytes.assertSame(Bytes.read(out, LENGTH), mine);
        return new Ends(out, in);
    }

    /** Exchanges bytes over both until they are on this run's path. */
    private static void awaitMoves(Ends one, Ends other, Set<String> before) {
        eventually().until(() -> {
            talk(one.out(), other.in());
            talk(other.out(), one.in());
            return Path.current().isKernels() || !MappedRings.areKnown() || haveMoved(before);
        });
    }

    private static void talk(SocketChannel client, SocketChannel server) throws IOException {
        Bytes.write(client, Bytes.ascii("?"));
        assertThat(Bytes.readAscii(server, 1)).isEqualTo("?");
        Bytes.write(server, Bytes.ascii("!"));
        assertThat(Bytes.readAscii(client, 1)).isEqualTo("!");
    }

    private static boolean haveMoved(Set<String> before) throws IOException {
        return Path.current() == Path.SHM
                ? MappedRings.newRings(before) >= 2
                : MappedRings.pathOfNew(before) == Path.current();
    }
}
