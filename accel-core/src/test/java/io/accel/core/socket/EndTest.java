// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.poll.Pollable;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting for the end of a stream without wanting to read. */
class EndTest {
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LATE = TimeUnit.SECONDS.toNanos(10);

    private int ready;

    private int poll(Poller poller, long nanos) throws Exception {
        ready = 0;
        poller.poll(nanos, (registration, ops) -> ready |= ops);
        return ready;
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1s"})
    void isSeenWhenAllWasRead(String spin) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("poll.spin", spin));
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connect();
            LinkStream server = pair.server().attached();
            Registration registration = poller.register(pair.server().readiness(), Pollable.END, this);
            assertThat(poll(poller, SOON)).isZero();
            write(pair.client(), 10);
            assertThat(poll(poller, SOON)).as("bytes are no end").isZero();
            pair.client().attached().writer().shutdown();
            assertThat(poll(poller, SOON)).as("bytes are left").isZero();
            server.reader().lock();
            try {
                assertThat(server.reader().read(ByteBuffer.allocate(20))).isEqualTo(10);
            } finally {
                server.reader().unlock();
            }
            registration.refresh();
            assertThat(poll(poller, LATE)).isEqualTo(Pollable.END);
            registration.close();
            pair.close();
        }
    }

    /** The sleeper hears of the end, and not of every byte before it. */
    @Test
    void aSleeperIsWokenByTheEndAlone() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("poll.spin", "0"));
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connect();
            Registration registration = poller.register(pair.server().readiness(), Pollable.END, this);
            assertThat(poll(poller, SOON)).isZero();
            for (int i = 0; i < 100; i++) {
                write(pair.client(), 1);
            }
            assertThat(pair.server().attached().link().drainDoorbell()).isFalse();
            assertThat(poll(poller, SOON)).isZero();
            registration.interest(SelectionKey.OP_READ);
            assertThat(poll(poller, LATE)).isEqualTo(SelectionKey.OP_READ);
            registration.close();
            pair.close();
        }
    }

    /** The end then comes through the kernel, which a waiter that watches only the link would not notice. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "1s"})
    void isSeenOfAPeerThatHasGoneBackToTheKernel(String spin) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("poll.spin", spin));
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connect();
            Lab.channel(pair.server()).configureBlocking(false);
            Registration registration = poller.register(pair.server().readiness(), Pollable.END, this);
            assertThat(poll(poller, SOON)).isZero();
            LinkWriter client = pair.client().attached().writer();
            client.wayBack().makeDue();
            assertThat(client.goBackForWriter()).isTrue();
            assertThat(poll(poller, SOON)).isZero();
            assertThat(pair.server().incoming().link()).as("all was read").isNull();
            Lab.close(pair.client());
            assertThat(poll(poller, LATE)).isEqualTo(Pollable.END);
            registration.close();
            pair.close();
        }
    }

    private static void write(StreamSocket socket, int bytes) throws Exception {
        assertThat(Streams.writeLink(socket, bytes)).isEqualTo(bytes);
    }
}
