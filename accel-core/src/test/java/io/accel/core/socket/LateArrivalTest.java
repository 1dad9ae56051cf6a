// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.Background;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer whose device acknowledges late, or never, holds up no thread of the program. */
@Timeout(60)
class LateArrivalTest {
    private static final int SOME = 1000;
    /** How long the peer's device is silent in the end; a multiple of what a device waits for it. */
    private static final Duration SILENCE = Duration.ofMillis(200);

    /** The write that switches is over, and so are the next, although the peer cannot be told of the switch yet. */
    @Test
    void noWriteWaitsUntilThePeerKnowsOfTheSwitch() throws Exception {
        try (FaultLab lab = new FaultLab("balanced", Map.of("handover.after", "0"))) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            StreamSocket client = lab.lab.client();
            StreamSocket server = lab.lab.accept();
            await().until(() -> client.path().isAccelerated() && server.attached() != null);
            lab.faults.arrives = false;
            Background<Integer> read = Background.start(() -> {
                Streams.receive(waits, server, 2 * SOME, 1);
                return 2 * SOME;
            });
            Streams.send(waits, client, 2 * SOME, 1);
            assertThat(lab.faults.waits).as("waits in the program's writes").hasValue(0);
            Announcement announcement = client.attached().writer().announcement();
            await().during(SILENCE).atMost(Duration.ofSeconds(20)).until(() -> !announcement.isMade());
            lab.faults.arrives = true;
            assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo(2 * SOME);
            await().until(announcement::isMade);
            Lab.close(client);
            Lab.close(server);
            lab.nothingIsLeft();
        }
    }

    /** In blocking mode, where the program expects that, an option is in force when the call returns. */
    @Test
    void anOptionThatThePeerHasToKnowIsAwaitedInBlockingModeAlone() throws Exception {
        try (FaultLab lab = new FaultLab("balanced", Map.of("handover.after", "0"))) {
            BlockingWaits waits = lab.lab.accelerator.waits();
            StreamSocket client = lab.lab.client();
            StreamSocket server = lab.lab.accept();
            await().until(() -> client.path().isAccelerated() && server.attached() != null);
            Lab.channel(client).configureBlocking(false);
            client.wantUrgentInline(true);
            assertThat(lab.faults.waits).hasValue(0);
            Lab.channel(client).configureBlocking(true);
            client.wantUrgentInline(true);
            assertThat(lab.faults.waits).hasValue(1);
            Streams.write(waits, client, ByteBuffer.allocate(SOME));
            Lab.close(client);
            Lab.close(server);
            lab.nothingIsLeft();
        }
    }
}
