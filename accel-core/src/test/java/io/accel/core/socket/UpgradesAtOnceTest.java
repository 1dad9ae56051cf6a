// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.PortSpace;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Thousands of connections that want a link at once do not keep each other waiting until their peers give them up. */
@Timeout(60)
class UpgradesAtOnceTest {
    private static final int AT_ONCE = 26;
    private static final int MORE = 100;

    private final Queue<Silence> begun = new ConcurrentLinkedQueue<>();

    /** Shared memory whose peers answer when the test says so. */
    private final class Silent implements Fabric {
        private final Fabric shm;
        private final boolean pending;

        Silent(Profile profile, boolean pending) {
            this.shm = Fabrics.all(profile, PortSpace.TCP).get(FabricName.SHM);
            this.pending = pending;
        }

        @Override
        public String name() {
            return shm.name();
        }

        @Override
        public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
            Silence silence = new Silence(Pipe.open(), source.bind(destination.getAddress()), pending);
            silence.pipe.source().configureBlocking(false);
            begun.add(silence);
            return silence;
        }

        @Override
        public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
            return shm.listen(bound, acceptor);
        }
    }

    private record Silence(Pipe pipe, InetSocketAddress local, boolean isPending) implements Connecting {
        void end() throws IOException {
            pipe.sink().write(ByteBuffer.allocate(1));
        }

        @Override
        public SelectableChannel channel() {
            return pipe.source();
        }

        @Override
        public long deadline() {
            return Long.MAX_VALUE;
        }

        @Override
        public Link advance() throws FallbackException {
            abort();
            throw new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, "now it says so");
        }

        @Override
        public void abort() {
            try {
                pipe.source().close();
                pipe.sink().close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private Lab lab(boolean pending) throws IOException {
        return new Lab("balanced", Map.of("handover.after", "0"), profile -> {
            Map<FabricName, Fabric> all = new EnumMap<>(FabricName.class);
            all.put(FabricName.SHM, new Silent(profile, pending));
            return all;
        });
    }

    private static List<Lab.Pair> connect(Lab lab) throws IOException {
        List<Lab.Pair> pairs = new ArrayList<>();
        for (int i = 0; i < MORE; i++) {
            pairs.add(new Lab.Pair(lab.client(), lab.accept()));
        }
        return pairs;
    }

    private void awaitBegun(int count) {
        await().during(Duration.ofMillis(200)).atMost(Duration.ofSeconds(20)).until(() -> begun.size() == count);
    }

    @Test
    void someAskAtATimeAndOthersWhenTheyHaveTheirAnswer() throws Exception {
        try (Lab lab = lab(false)) {
            List<Lab.Pair> pairs = connect(lab);
            awaitBegun(AT_ONCE);
            begun.element().end();
            awaitBegun(AT_ONCE + 1);
            pairs.get(AT_ONCE).close();
            awaitBegun(AT_ONCE + 2);
            pairs.get(MORE - 1).close();
            awaitBegun(AT_ONCE + 2); // it waits, and keeps nobody waiting
            await().until(() -> {
                for (Silence each = begun.poll(); each != null; each = begun.poll()) {
                    if (each.pipe.sink().isOpen()) {
                        each.end();
                    }
                }
                return pairs.stream()
                        .limit(MORE - 1)
                        .allMatch(pair -> pair.client().isClosed()
                                || pair.client().path().reason() == FallbackReason.PEER_NOT_ACCELERATED);
            });
        }
    }

    /** A peer that is stopped answers nobody. */
    @Test
    void oneDestinationThatDoesNotAnswerKeepsNoOtherWaiting() throws Exception {
        try (Lab silent = lab(false);
                Lab healthy = new Lab("balanced", Map.of("handover.after", "0"))) {
            List<Lab.Pair> pairs = connect(silent);
            awaitBegun(AT_ONCE);
            Lab.Pair other = new Lab.Pair(healthy.client(), healthy.accept());
            await().atMost(Duration.ofSeconds(20)) // the others are silent for ever
                    .until(() -> other.client().path().isAccelerated());
            awaitBegun(AT_ONCE);
            other.close();
            for (Lab.Pair each : pairs) {
                each.close();
            }
        }
    }

    /** Its program may accept at any time, and until then there is nothing to do. */
    @Test
    void thoseWhosePeersHaveNotAcceptedKeepNobodyWaiting() throws Exception {
        try (Lab lab = lab(true)) {
            List<Lab.Pair> pairs = connect(lab);
            awaitBegun(MORE);
            for (Lab.Pair each : pairs) {
                each.close();
            }
        }
    }
}
