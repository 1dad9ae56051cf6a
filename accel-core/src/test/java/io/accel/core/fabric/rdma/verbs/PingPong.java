// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Locale;

/**
 * Sends small messages to and fro between two processes, each polling, and prints what half a round trip took: the floor for
 * everything built on this package, beside ib_write_lat and rstream. {@code PingPong server|client ADDRESS PORT BYTES}.
 */
final class PingPong {
    private static final int WARM_UP = 20_000;

    private static final int ROUNDS = 20_000;

    private static final int BATCH = Connection.RECEIVES / 2;

    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private final Connection connection;

    private final int bytes;

    private final ReceiveRequests spare = new ReceiveRequests(BATCH);

    private int used;

    private int sent;

    private PingPong(Connection connection, int bytes) {
        this.connection = connection;
        this.bytes = bytes;
        for (int i = 0; i < BATCH; i++) {
            spare.empty(i, i);
        }
    }

    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(args[1]), Integer.parseInt(args[2]));
        int bytes = Integer.parseInt(args[3]);
        try (CmEventChannel events = CmEventChannel.open()) {
            if (args[0].equals("server")) {
                serve(events, address, bytes);
            } else {
                measure(events, address, bytes);
            }
        }
    }

    private static void serve(CmEventChannel events, InetSocketAddress address, int bytes) throws Exception {
        try (CmId listener = events.createId()) {
            listener.bind(address);
            listener.listen(1);
            System.out.println("listening");
            try (Connection connection = Connection.accept(events)) {
                connection.established(events);
                PingPong end = new PingPong(connection, bytes);
                for (int i = 0; i < WARM_UP + ROUNDS; i++) {
                    end.receive();
                    end.send();
                }
                Connection.await(events, CmEventType.DISCONNECTED);
            }
        }
    }

    private static void measure(CmEventChannel events, InetSocketAddress address, int bytes) throws Exception {
        try (Connection connection = Connection.connect(events, address)) {
            connection.established(events);
            PingPong end = new PingPong(connection, bytes);
            long[] nanos = new long[ROUNDS];
            for (int i = -WARM_UP; i < ROUNDS; i++) {
                long start = System.nanoTime();
                end.send();
                end.receive();
                if (i >= 0) {
                    nanos[i] = System.nanoTime() - start;
                }
            }
            connection.id.disconnect();
            double mean = Arrays.stream(nanos).average().orElseThrow();
            Arrays.sort(nanos);
            System.out.printf(
                    Locale.ROOT,
                    "PingPong %d B: half a round trip: mean %.2f us, min %.2f, p50 %.2f, p99 %.2f, p99.9 %.2f%n",
                    bytes,
                    mean / 2_000,
                    nanos[0] / 2e3,
                    nanos[ROUNDS / 2] / 2e3,
                    nanos[ROUNDS / 100 * 99] / 2e3,
                    nanos[ROUNDS / 1000 * 999] / 2e3);
        }
    }

    private void send() throws VerbsException {
        // One completion for many: enough to know that the send queue has room again.
        int signaled = ++sent % BATCH == 0 ? SendFlags.SIGNALED : 0;
        int inline = bytes <= connection.queuePair.maxInline() ? SendFlags.INLINE : 0;
        connection.publish(0, bytes, sent, signaled | inline);
    }

    private void receive() throws VerbsException {
        WorkCompletions batch = connection.batch;
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            int count = connection.queue.pollInto(batch);
            boolean came = false;
            for (int i = 0; i < count; i++) {
                if (batch.status(i) != WcStatus.SUCCESS) {
                    throw new IllegalStateException("completion status " + batch.status(i));
                }
                came |= batch.opcode(i) == WcOpcode.RECV_RDMA_WITH_IMM;
            }
            if (came) {
                if (++used == BATCH) {
                    connection.queuePair.postReceive(spare, 0, BATCH);
                    used = 0;
                }
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the peer is silent");
            }
        }
    }
}
