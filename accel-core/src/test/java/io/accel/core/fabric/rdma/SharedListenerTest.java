// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Listeners that share a port, as with {@code SO_REUSEPORT}: the device has it once. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(120)
class SharedListenerTest {
    @Test
    void clientsAreHeardAsLongAsOneIsOpen() throws Exception {
        try (RdmaEnds first = new RdmaEnds(32);
                RdmaEnds second = first.beside()) {
            first.connect().free();
            first.stopListening();
            first.stopListening();
            second.connect().free();
            try (RdmaEnds third = first.beside()) {
                second.connect().free();
                second.stopListening();
                third.connect().free();
            }
            assertThatThrownBy(second::connect).isInstanceOf(FallbackException.class);
            try (RdmaEnds again = first.beside()) {
                again.connect().free();
            }
        }
    }

    /** As when a server is replaced by another while it serves. */
    @Test
    void anotherProcessHasThePortOnceTheFirstHasClosed() throws Exception {
        try (RdmaEnds old = new RdmaEnds(32);
                RdmaEnds successor = old.asOfAnotherProcess();
                RdmaEnds given = old.asOfAnotherProcess()) {
            assertThat(successor.waitsFor().reason()).isEqualTo(FallbackReason.RENDEZVOUS_TAKEN);
            old.connect().free();
            given.stopListening(); // before it had it
            old.stopListening();
            await().atMost(Duration.ofSeconds(10)).until(() -> successor.waitsFor() == null);
            successor.connect().free();
        }
    }
}
