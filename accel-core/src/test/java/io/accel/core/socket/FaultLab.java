// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ThrowingRunnable;

/** A {@link Lab} whose shared memory fails on demand, and that can tell whether anything is left behind. */
final class FaultLab implements AutoCloseable {
    final Faults faults = new Faults();
    final Lab lab;

    FaultLab(String preset) throws IOException {
        this(preset, Map.of());
    }

    FaultLab(String preset, Map<String, String> settings) throws IOException {
        lab = new Lab(preset, quiet(settings), this::fabrics);
    }

    /** A lab in the directory of another process's lab, which that process removes. */
    FaultLab(String preset, Map<String, String> settings, Path shared) throws IOException {
        lab = new Lab(preset, quiet(settings), this::fabrics, shared);
    }

    /** Calls that fail are counted, and nobody but the test should make any. */
    private static Map<String, String> quiet(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of("fabric.order", "shm", "handover.idle", "forever"));
        all.putAll(settings);
        return all;
    }

    private Map<FabricName, Fabric> fabrics(Profile profile) {
        FaultyFabric fabric =
                new FaultyFabric(Fabrics.all(profile, PortSpace.TCP).get(FabricName.SHM), faults);
        return Map.of(FabricName.SHM, fabric);
    }

    void arm(Side side, Call call, int nth, FallbackReason reason) {
        faults.arm(side, call, nth, new FallbackException(reason, "injected into " + call + " number " + nth));
    }

    /** A connection that no fault should hit: Accel's own threads look at its link, too, and would meet the next fault there. */
    Lab.Pair bystander() throws IOException {
        Lab.Pair bystander = lab.connect();
        for (StreamSocket end : List.of(bystander.client(), bystander.server())) {
            ((FaultyLink) end.attached().link()).spare();
        }
        return bystander;
    }

    /** A connection without a fault still carries bytes, and so does a new one. */
    void othersLiveOn(Lab.Pair bystander) throws IOException {
        roundTrip(bystander);
        Lab.Pair fresh = lab.connect();
        roundTrip(fresh);
        fresh.close();
    }

    private void roundTrip(Lab.Pair pair) throws IOException {
        BlockingWaits waits = lab.accelerator.waits();
        Streams.send(waits, pair.client(), 1000, 1);
        Streams.receive(waits, pair.server(), 1000, 1);
        Streams.send(waits, pair.server(), 1000, 2);
        Streams.receive(waits, pair.client(), 1000, 2);
    }

    /** All resources but the listener have come back, and nobody has used a freed one. */
    void nothingIsLeft() {
        soon(() -> {
            assertThat(faults.out()).isEqualTo("handshakes 0, links 0, listeners 1, places 0");
            assertThat(lab.mappings()).isZero();
            assertThat(lab.content()).as("only the rendezvous").hasSizeLessThanOrEqualTo(2);
        });
        assertThat(faults.misuse()).isEmpty();
    }

    /** Like {@link #nothingIsLeft}, after the listener has been closed, too. */
    void notEvenTheListenerIsLeft() {
        soon(() -> assertThat(faults.out()).isEqualTo("handshakes 0, links 0, listeners 0, places 0"));
        assertThat(faults.misuse()).isEmpty();
    }

    /** Other threads let go of things a moment after they were closed. */
    static void soon(ThrowingRunnable assertion) {
        await().atMost(10, TimeUnit.SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(assertion);
    }

    @Override
    public void close() throws IOException {
        faults.disarm();
        lab.close();
        notEvenTheListenerIsLeft();
    }
}
