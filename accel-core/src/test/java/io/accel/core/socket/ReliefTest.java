// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.DescriptorShare;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What Accel has is given back when the program's operations fail for want of it. */
class ReliefTest {
    private final IOException noFiles = new IOException("Too many open files");
    private final IOException noSystemFiles = new IOException("Too many open files in system");
    private final IOException noMemory = new IOException("Cannot allocate memory");
    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void linksThatNobodyWouldGiveBackAreGivenBackOnDemand() throws Exception {
        try (Lab lab = new Lab("latency", Map.of("handover.idle", "forever"))) {
            List<Lab.Pair> pairs = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                pairs.add(lab.connect());
            }
            long before = lab.mappings();
            AtomicInteger tries = new AtomicInteger();
            String result = Relief.again(
                    noMemory,
                    () -> {
                        if (tries.incrementAndGet() == 1) {
                            throw noMemory;
                        }
                        return "done";
                    },
                    lab.accelerator.waits());
            assertThat(result).isEqualTo("done");
            assertThat(tries).hasValue(2);
            await().atMost(SOON).until(() -> lab.mappings() < before);
            for (Lab.Pair pair : pairs) {
                assertTalks(lab, pair.client(), pair.server());
                assertTalks(lab, pair.server(), pair.client());
                pair.close();
            }
        }
    }

    /** What an operation lacked comes back while it fails, and with it all that Accel has. */
    @Test
    void whatCameBackDuringAnOperationIsWorthAnotherTry() throws Exception {
        try (Lab lab = new Lab("latency", Map.of("handover.idle", "forever"))) {
            awaitNothingToGiveBack();
            Lab.Pair pair = lab.connect();
            AtomicInteger tries = new AtomicInteger();
            String result = Relief.again(
                    noMemory,
                    () -> {
                        if (tries.incrementAndGet() == 1) {
                            awaitNothingToGiveBack();
                            throw noMemory;
                        }
                        return "done";
                    },
                    lab.accelerator.waits());
            assertThat(result).isEqualTo("done");
            assertTalks(lab, pair.client(), pair.server());
            pair.close();
        }
    }

    private static void assertTalks(Lab lab, StreamSocket from, StreamSocket to) throws IOException {
        Streams.write(lab.accelerator.waits(), from, ByteBuffer.wrap(new byte[] {7}));
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(Streams.read(lab.accelerator.waits(), to, one)).isEqualTo(1);
        assertThat(one.get(0)).isEqualTo((byte) 7);
    }

    @Test
    void otherFailuresAreTheProgramsAtOnce() throws Exception {
        try (Lab lab = new Lab("latency", Map.of())) {
            Lab.Pair pair = lab.connect();
            BlockingWaits waits = lab.accelerator.waits();
            assertThat(Relief.after(new ClosedChannelException(), waits, Relief.PATIENCE_NANOS, 1))
                    .isEqualTo(Relief.Outcome.NONE);
            // However little there is: the class says that the kernel has answered, or the peer.
            for (IOException other : List.of(
                    new IOException("Connection refused"),
                    new ConnectException(noFiles.getMessage()),
                    new BindException(noMemory.getMessage()),
                    new NoRouteToHostException(noFiles.getMessage()),
                    new UnknownHostException(noFiles.getMessage()),
                    new SocketTimeoutException(noFiles.getMessage()))) {
                assertThatThrownBy(() -> Relief.again(other, () -> "never", waits))
                        .isSameAs(other);
            }
            pair.close();
        }
    }

    /** A connect cannot be tried again: the JDK has closed what it could not connect. */
    @Test
    void whatIsLostForOneOperationIsThereForTheNext() throws Exception {
        try (Lab lab = new Lab("latency", Map.of("handover.idle", "forever"))) {
            Lab.Pair pair = lab.connect();
            long before = lab.mappings();
            assertThat(Relief.forNext(noMemory, lab.accelerator.waits())).isSameAs(noMemory);
            await().atMost(SOON).until(() -> lab.mappings() < before);
            assertTalks(lab, pair.client(), pair.server());
            pair.close();
        }
    }

    @Test
    void whatCameBackBeforeTheLookIsWorthAnotherTry() throws Exception {
        try (Lab lab = new Lab("latency", Map.of())) {
            awaitNothingToGiveBack();
            assertThat(tries(noFiles, 1, lab)).isEqualTo(1);
            // Another thread has taken what came back, and so on.
            assertThat(tries(noFiles, 3, lab)).isEqualTo(3);
            assertThat(tries(noSystemFiles, 3, lab)).isEqualTo(3);
            assertThat(tries(noMemory, 1, lab)).isEqualTo(1);
        }
    }

    @Test
    void withNothingToGiveBackTheFailureIsTheProgramsSoon() throws Exception {
        try (Lab lab = new Lab("latency", Map.of())) {
            awaitNothingToGiveBack();
            assertThat(tries(noFiles, Integer.MAX_VALUE, lab)).isEqualTo(-8);
            assertThat(tries(noMemory, Integer.MAX_VALUE, lab)).isEqualTo(-8);
        }
    }

    private static void awaitNothingToGiveBack() {
        await().atMost(SOON).until(() -> {
            System.gc(); // which closes the selectors that threads of earlier tests have slept in
            return DescriptorShare.taken() == 0;
        });
    }

    /** Returns how often an operation that has failed is tried again, and the negative of that if it fails in the end. */
    private static int tries(IOException failure, int successful, Lab lab) {
        AtomicInteger tries = new AtomicInteger();
        Relief.Operation<Integer> operation = () -> {
            if (tries.incrementAndGet() < successful) {
                throw failure;
            }
            return tries.get();
        };
        try {
            return Relief.again(failure, operation, lab.accelerator.waits());
        } catch (IOException e) {
            assertThat(e).isSameAs(failure);
            return -tries.get();
        }
    }
}
