// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A call into the completion queue that several links share meets an error, whichever link's thread makes it: each completion reaches its link
 * once, each sleeper is woken, and at most one link ends.
 */
@Timeout(60)
class SharedQueueErrorTest {
    private static final int DEPTH = 8;
    private static final int LINKS = 3;

    private final FakeCompletions device = new FakeCompletions(SharedQueue.entries(LINKS, DEPTH), 4);
    private final SharedQueue queue = new SharedQueue(device, LINKS, DEPTH, true);
    private final List<End> ends = new ArrayList<>();

    /** A link, and the thread that sleeps for it. */
    private final class End {
        final Arrivals arrivals = new Arrivals(new Inbound(), null);
        final SharedQueue.Place place = queue.join(arrivals);
        int rings;
        Throwable nextRing;

        End() {
            place.addRinger(() -> {
                Throwable failure = nextRing;
                nextRing = null;
                if (failure != null) {
                    throwIt(failure);
                }
                rings++;
            });
        }

        void isWhole() {
            assertThat(arrivals.error()).isNull();
            assertThat(arrivals.in().published()).isEqualTo(2);
            assertThat(arrivals.sent()).isEqualTo(1);
        }
    }

    private static void throwIt(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    static Stream<Supplier<Throwable>> kinds() {
        return Stream.of(
                () -> new InternalError("injected"),
                () -> new OutOfMemoryError("injected"),
                () -> new StackOverflowError("injected"),
                () -> new IllegalStateException("injected"));
    }

    static Stream<Arguments> calls() {
        return kinds().flatMap(kind -> Stream.of("take", "id", "immediate", "takeEvents", "requestNotify")
                .map(call -> Arguments.of(call, kind.get())));
    }

    /** All sleep, and something comes for each of them. */
    private void begin() throws VerbsException {
        for (int i = 0; i < LINKS; i++) {
            ends.add(new End());
        }
        for (End end : ends) {
            end.place.arm(Wanted.ALL);
        }
        for (End end : ends) {
            device.data(end.place.receiveId(), 1);
            device.data(end.place.receiveId(), 1);
            device.sent(end.place.sendId(0));
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("calls")
    void thatCostsOneLinkAtMost(String call, Throwable failure) throws VerbsException {
        begin();
        device.failNext(call, failure);
        ends.get(0).place.takeRings();
        if (call.equals("requestNotify")) { // the queue has rung for all, and none sleeps any more
            try {
                ends.get(0).place.arm(Wanted.ALL);
            } catch (RuntimeException | Error e) {
                assertThat(e).isSameAs(failure);
            }
        }
        assertThat(device.isToFail()).isFalse();
        for (End end : ends) {
            end.place.poll(); // as whoever was woken
        }
        assertThat(ends).allSatisfy(end -> assertThat(end.rings).isPositive());
        assertThat(ends).allSatisfy(end -> assertThat(end.arrivals.received()).isEqualTo(2)); // for which an end waits
        List<End> whole =
                ends.stream().filter(end -> end.arrivals.error() == null).toList();
        assertThat(whole).hasSizeGreaterThanOrEqualTo(call.equals("immediate") ? LINKS - 1 : LINKS);
        whole.forEach(End::isWhole);
        theySleepAndWake();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aSleeperThatCannotBeWokenIsWokenAgain(Supplier<Throwable> kind) throws VerbsException {
        begin();
        ends.get(1).nextRing = kind.get();
        ends.get(0).place.poll();
        ends.forEach(End::isWhole);
        assertThat(ends).allSatisfy(end -> assertThat(end.rings).isPositive());
        theySleepAndWake();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLinkLeavesAllTheSame(Supplier<Throwable> kind) throws VerbsException {
        begin();
        device.failNext("take", kind.get());
        assertThat(queue.leave(ends.get(0).place)).isFalse();
        ends.remove(0);
        ends.get(0).place.poll();
        ends.forEach(End::isWhole);
        theySleepAndWake();
        assertThat(queue.leave(ends.get(0).place)).isFalse();
        assertThat(queue.leave(ends.get(1).place)).isTrue();
    }

    private void theySleepAndWake() throws VerbsException {
        for (End end : ends) {
            boolean unused = end.place.drain();
            end.rings = 0;
            end.place.arm(Wanted.ALL);
            device.sent(end.place.sendId(1));
            assertThat(device.isAnnounced()).isTrue();
            end.place.takeRings();
            assertThat(end.rings).isOne();
        }
    }
}
