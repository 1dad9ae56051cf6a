// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Clients whose connections the program has not accepted: the connection manager tells nobody that they have gone. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(60)
class WaitingClientsTest {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

    private static RdmaEnds ends() throws Exception {
        return new RdmaEnds(
                RdmaEnds.config(RdmaEnds.RING, 32, false, PATIENCE_NANOS, PATIENCE_NANOS), RdmaDevice.address());
    }

    private static Connecting waitingClient(RdmaEnds ends) throws Exception {
        Connecting client = ends.begin();
        await().until(() -> {
            assertThat(client.advance()).isNull();
            return ends.waiting.get() == 1;
        });
        return client;
    }

    @Test
    void aClientThatGoesWhileItWaitsIsForgotten() throws Exception {
        try (RdmaEnds ends = ends()) {
            ends.accepts = false;
            waitingClient(ends).abort();
            await().atMost(20, TimeUnit.SECONDS).until(() -> ends.waiting.get() == 0);
            ends.accepts = true;
            ends.connect().free();
        }
    }

    /** A client that is more patient than the listener is told why there is no link. */
    @Test
    void aClientThatWaitsTooLongIsRefused() throws Exception {
        try (RdmaEnds ends = ends();
                RdmaEnds patient = new RdmaEnds(32)) {
            ends.accepts = false;
            Connecting client = patient.beginTo(ends.address);
            assertThatThrownBy(() -> RdmaEnds.answer(client))
                    .isInstanceOfSatisfying(
                            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.TIMEOUT));
            assertThat(ends.waiting).hasValue(0);
        }
    }
}
