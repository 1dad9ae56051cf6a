// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Everything that links do, with words that go by SEND after a write, as on devices without immediate data. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
class NotifyBySendTest extends RdmaLinkTest {
    @Override
    RdmaEnds ends(int queueDepth) throws Exception {
        return new RdmaEnds(RdmaEnds.config(queueDepth, true), RdmaDevice.address());
    }

    @Test
    void bothEndsMustNotifyInTheSameWay() throws Exception {
        try (RdmaEnds ends = ends(32)) {
            RdmaFabric other = new RdmaFabric(RdmaEnds.config(32, false));
            Connecting connecting =
                    other.connect(ends.address, from -> new InetSocketAddress(from, 50_001), RdmaEnds.RING);
            assertThatThrownBy(() -> RdmaEnds.answer(connecting))
                    .isInstanceOfSatisfying(FallbackException.class, e -> assertThat(e.reason())
                            .isEqualTo(FallbackReason.VERSION_MISMATCH));
        }
    }
}
