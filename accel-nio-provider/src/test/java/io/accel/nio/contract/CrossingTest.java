package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/** Two ends that listen, and connect to each other at the same time. */
class CrossingTest extends ContractSupport {
    private static final int TIMES = 150;
    private static final int LENGTH = 5_000;

    /** Either end's one thread connects first and then accepts, so that neither may wait for the other to accept. */
    @Test
    @WithinLimit.Seconds(60)
    void bothConnectionsComeAboutAndStayApart() throws Exception {
        ServerSocketChannel first = listener();
        ServerSocketChannel second = listener();
        for (int i = 0; i < TIMES; i++) {
            byte[] there = Bytes.random(2L * i, LENGTH);
            byte[] back = Bytes.random(2L * i + 1, LENGTH);
            Task<Void> other = run(() -> meet(first, second, there, back));
            meet(second, first, back, there);
            other.result();
        }
    }

    /** Sends by the connection that it has made, and then back by that which it has accepted what came by it. */
    private static void meet(ServerSocketChannel own, ServerSocketChannel others, byte[] mine, byte[] theirs)
            throws IOException {
        try (SocketChannel out = SocketChannel.open(destination(others));
                SocketChannel in = own.accept()) {
            Bytes.write(out, mine);
            Bytes.assertSame(Bytes.read(in, LENGTH), theirs);
            Bytes.write(in, theirs);
            Bytes.assertSame(Bytes.read(out, LENGTH), mine);
            out.shutdownOutput();
            assertThat(Bytes.readToEnd(in)).isEmpty();
            in.shutdownOutput();
            assertThat(Bytes.readToEnd(out)).isEmpty();
        }
    }
}
