// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.testing.Background;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The events that a poller finds, and the beginning and the end of its sleep. */
class PollerTest {
    private static final long MILLI = 1_000_000L;
    private static final long LONG_SPIN = Long.MAX_VALUE;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<FakeLink> links = new ArrayList<>();
    private final Map<Object, Integer> found = new ConcurrentHashMap<>();
    private final Poller.Sink sink =
            (registration, ops) -> found.merge(registration.attachment(), ops, (a, b) -> a | b);

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        for (FakeLink link : links) {
            assertThat(link.violation).isNull();
        }
    }

    // ---- finding

    @Test
    void aHotLinkIsFoundWithoutTheKernel() throws Exception {
        Poller poller = poller(LONG_SPIN, 64);
        FakeLink link = link(poller, OP_READ);
        assertThat(poll(poller, 0)).isZero();
        link.make(OP_READ | OP_WRITE);
        assertThat(poll(poller, -1)).isPositive();
        assertThat(found).containsOnly(Map.entry(link, OP_READ));
        assertThat(link.rings).hasValue(0);
    }

    @Test
    void aHotLinkThatRingsIsLookedAtAgainInTheSamePoll() throws Exception {
        Poller poller = poller(LONG_SPIN, 64);
        FakeLink link = link(poller, OP_READ);
        assertThat(poll(poller, 0)).isZero();
        link.makeUnseen(OP_READ);
        assertThat(poll(poller, 0)).isPositive();
        assertThat(found).containsOnlyKeys(link);
    }

    @Test
    void aColdLinkCostsNothingUntilItRings() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink cold = link(poller, OP_READ);
        assertThat(poll(poller, 5 * MILLI)).isZero();
        assertThat(cold.isArmed()).isTrue();
        int looks = cold.looks.get();
        assertThat(poll(poller, 20 * MILLI)).isZero();
        assertThat(cold.looks.get() - looks).as("looks while cold").isLessThanOrEqualTo(1);

        Background<Integer> sleeper = Background.start(() -> poll(poller, -1));
        sleeper.awaitAsleep();
        cold.make(OP_READ);
        assertThat(sleeper.get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(cold.rings).hasValue(1);
        assertThat(found).containsOnlyKeys(cold);
    }

    @Test
    void aGlanceFindsHotLinksAndSparesTheKernel() throws Exception {
        Poller poller = poller(LONG_SPIN, 64);
        FakeLink link = link(poller, OP_READ);
        FakeKernel kernel = kernel(poller, OP_READ);
        assertThat(poller.glance(sink)).isZero();
        kernel.makeReadable();
        link.make(OP_READ);
        found.clear();
        int glances = 0;
        while (!found.containsKey(kernel)) {
            assertThat(poller.glance(sink)).isPositive();
            assertThat(found).containsEntry(link, OP_READ);
            glances++;
        }
        assertThat(glances).as("glances until the kernel was looked at").isBetween(2, 200);
    }

    @Test
    void aGlanceLooksAtTheKernelIfNothingIsHot() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink cold = link(poller, OP_READ);
        assertThat(poll(poller, 5 * MILLI)).isZero();
        assertThat(cold.isArmed()).isTrue();
        cold.make(OP_READ); // rings
        found.clear();
        assertThat(poller.glance(sink)).isPositive();
        assertThat(found).containsOnlyKeys(cold);
    }

    @Test
    void aGlanceTakesWakeUps() throws Exception {
        Poller poller = poller(0, 64);
        poller.wakeup();
        assertThat(poller.glance(sink)).isZero();
        long start = System.nanoTime();
        assertThat(poll(poller, 30 * MILLI)).isZero();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30 * MILLI);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 20_000})
    void lookingOnceFindsAColdLinkThatRang(long spin) throws Exception {
        Poller poller = poller(spin, 1);
        FakeLink cold = link(poller, OP_READ);
        FakeLink other = link(poller, OP_READ);
        coolDown(poller, cold, other);
        cold.make(OP_READ);
        other.make(OP_READ);
        assertThat(poll(poller, 0)).isPositive();
        assertThat(found).containsOnlyKeys(cold, other);
    }

    @Test
    void kernelDescriptorsAndLinksAreFoundTogether() throws Exception {
        Poller poller = poller(LONG_SPIN, 64);
        FakeLink link = link(poller, OP_READ);
        FakeKernel kernel = kernel(poller, OP_READ);
        link.make(OP_READ);
        kernel.makeReadable();
        assertThat(poll(poller, 0)).isPositive();
        assertThat(found).containsOnlyKeys(link, kernel);
    }

    /** A busy link must not starve the kernel's descriptors and the cold links. */
    @Test
    void aLinkThatIsAlwaysReadyHidesNobody() throws Exception {
        Poller poller = poller(20_000, 1);
        FakeLink cold = link(poller, OP_READ);
        FakeKernel kernel = kernel(poller, OP_READ);
        coolDown(poller, cold);
        FakeLink busy = link(poller, OP_READ);
        busy.make(OP_READ);
        cold.make(OP_READ);
        kernel.makeReadable();
        for (int i = 0; i < 100; i++) {
            assertThat(poller.poll(-1, sink)).isPositive();
        }
        assertThat(found).containsOnlyKeys(busy, cold, kernel);
    }

    @Test
    void wakeupsDoNotHideTheKernel() throws Exception {
        Poller poller = poller(0, 64);
        FakeKernel kernel = kernel(poller, OP_READ);
        kernel.makeReadable();
        poller.wakeup();
        assertThat(poll(poller, -1)).isPositive();
        assertThat(found).containsOnlyKeys(kernel);
    }

    /** To let go of a descriptor the kernel has to be asked, and its answer then counts. */
    @Test
    void theKernelIsAskedOnceThoughARegistrationEnds() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink cold = link(poller, OP_READ);
        coolDown(poller, cold);
        FakeKernel ready = kernel(poller, OP_READ);
        ready.makeReadable();
        FakeKernel ended = new FakeKernel();
        open.add(ended);
        Registration ending = poller.register(ended, OP_READ, ended);
        assertThat(poll(poller, 0)).isEqualTo(1);
        cold.make(OP_READ);
        ending.closeInPoll();
        assertThat(ended.releases).hasValue(0);
        assertThat(poll(poller, 0)).isEqualTo(2);
        assertThat(found).containsOnlyKeys(ready, cold);
        assertThat(ended.releases).hasValue(1);
    }

    @Test
    void wakeupsDoNotHideAColdLink() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink cold = link(poller, OP_READ);
        coolDown(poller, cold);
        cold.make(OP_READ);
        poller.wakeup();
        assertThat(poll(poller, -1)).isPositive();
        assertThat(found).containsOnlyKeys(cold);
    }

    @Test
    void manyLinksAreAllFoundThoughFewMayBeHot() throws Exception {
        Poller poller = poller(50_000, 4);
        List<FakeLink> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(link(poller, OP_READ));
        }
        for (int round = 0; round < 3; round++) {
            for (FakeLink link : all) {
                link.make(OP_READ);
                found.clear();
                for (int i = 0; i < 1_000 && !found.containsKey(link); i++) {
                    poller.poll(100 * MILLI, sink);
                }
                assertThat(found).containsOnlyKeys(link);
                link.make(0);
            }
        }
    }

    /** The cost of a turn must not grow with the links that were hot some time ago. */
    @Test
    void noMoreLinksThanAllowedAreHotAtAnyMoment() throws Exception {
        int hotMax = 8;
        Poller poller = poller(LONG_SPIN, hotMax);
        FakeLink busy = link(poller, OP_READ);
        List<FakeLink> others = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            others.add(link(poller, OP_READ));
        }
        busy.make(OP_READ);
        coolDownBut(hotMax, poller, others);
        for (FakeLink other : others) {
            other.make(OP_READ);
        }
        for (FakeLink other : others) {
            for (int i = 0; i < 10_000 && !found.containsKey(other); i++) {
                poller.poll(-1, sink);
            }
            assertThat(found).containsKey(other);
            other.make(0);
        }
        int polls = 100;
        long before = looks(others);
        for (int i = 0; i < polls; i++) {
            assertThat(poller.poll(-1, sink)).isPositive();
        }
        // Beside the hot links, the links that wait to be armed, once or twice each.
        assertThat(looks(others) - before)
                .as("looks at quiet links right after they were busy")
                .isLessThanOrEqualTo((long) hotMax * polls + 3L * others.size());
    }

    /** A quiet link costs a busy link almost nothing, and yet is found without its doorbell. */
    @Test
    void linksThatRestAreLookedAtLessOften() throws Exception {
        Poller poller = poller(LONG_SPIN, 64);
        FakeLink busy = link(poller, OP_READ);
        List<FakeLink> quiet = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            quiet.add(link(poller, OP_READ));
        }
        busy.make(OP_READ);
        long end = System.nanoTime() + 50 * MILLI;
        while (System.nanoTime() - end < 0) {
            poller.poll(-1, sink);
        }
        int polls = 1_000;
        long before = looks(quiet);
        for (int i = 0; i < polls; i++) {
            poller.poll(-1, sink);
        }
        assertThat(looks(quiet) - before).as("looks at 50 quiet links").isLessThan(10L * polls);
        found.clear();
        quiet.get(31).make(OP_READ);
        for (int i = 0; i < 50; i++) {
            poller.poll(-1, sink);
        }
        assertThat(found).containsOnlyKeys(busy, quiet.get(31));
        assertThat(quiet.get(31).rings).hasValue(0);
    }

    /** A ready link stays ready until it is read, as with the JDK's selectors, even without a place among the hot links. */
    @Test
    void whatIsNotReadIsReportedAgainThoughFewMayBeHot() throws Exception {
        Poller poller = poller(20_000, 4);
        List<FakeLink> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(link(poller, OP_READ));
        }
        coolDown(poller, all.toArray(FakeLink[]::new));
        for (FakeLink link : all) {
            link.make(OP_READ);
        }
        for (int round = 0; round < 3; round++) {
            found.clear();
            poller.poll(0, sink);
            assertThat(found).as("looked at once").hasSize(all.size());
            found.clear();
            for (int i = 0; i < 30; i++) {
                poller.poll(-1, sink);
            }
            assertThat(found).as("waited for").hasSize(all.size());
        }
        for (FakeLink link : all) {
            link.make(0);
        }
        assertThat(poll(poller, 5 * MILLI)).isZero();
        all.get(40).make(OP_READ);
        assertThat(poll(poller, -1)).isPositive();
        assertThat(found).containsOnlyKeys(all.get(40));
    }

    /** An interval is a number of turns; a program that takes long between turns must not make it longer. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theKernelIsServedInTimeBesideABusyLink(boolean glance) throws Exception {
        Poller poller = new Poller(new PollConfig(LONG_SPIN, 10_000, 64, 0, PollConfig.Yielding.ADAPTIVE));
        open.add(poller);
        FakeLink busy = link(poller, OP_READ);
        FakeKernel kernel = kernel(poller, OP_READ);
        busy.make(OP_READ);
        for (int round = 0; round < 5; round++) {
            kernel.makeReadable();
            found.clear();
            int calls = 0;
            while (!found.containsKey(kernel)) {
                assertThat(glance ? poller.glance(sink) : poller.poll(-1, sink)).isPositive();
                calls++;
                work(MILLI);
            }
            kernel.drain();
            assertThat(calls)
                    .as("calls, each a millisecond after the last, with an interval of 0.5 ms")
                    .isLessThan(16);
        }
    }

    /** The time of an interval counts, even if a slow handler is called for only a few links in it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theKernelWaitsForTwoCallsOfASlowHandlerAtMost(boolean glance) throws Exception {
        Poller poller = new Poller(new PollConfig(LONG_SPIN, 10_000, 64, 0, PollConfig.Yielding.ADAPTIVE));
        open.add(poller);
        FakeLink busy = link(poller, OP_READ);
        FakeKernel kernel = kernel(poller, OP_READ);
        busy.make(OP_READ);
        List<Object> handled = new ArrayList<>();
        Poller.Sink slow = (registration, ops) -> {
            handled.add(registration.attachment());
            if (registration.attachment() == busy) {
                work(MILLI); // twice the interval
            }
        };
        // After so many, the poller knows that calls take long, and reads the clock after each.
        pollTimes(poller, 10, glance, slow);
        for (int before = 0; before < 6; before++) {
            pollTimes(poller, before, glance, slow);
            kernel.makeReadable();
            handled.clear();
            while (!handled.contains(kernel)) {
                pollTimes(poller, 1, glance, slow);
            }
            kernel.drain();
            assertThat(handled.indexOf(kernel))
                    .as("calls for the busy link since the kernel's channel has become ready")
                    .isLessThanOrEqualTo(2);
        }
    }

    private static void pollTimes(Poller poller, int times, boolean glance, Poller.Sink into) throws IOException {
        for (int i = 0; i < times; i++) {
            assertThat(glance ? poller.glance(into) : poller.poll(-1, into)).isPositive();
        }
    }

    private static void work(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    private static long looks(List<FakeLink> links) {
        return links.stream().mapToLong(link -> link.looks.get()).sum();
    }

    /** Polls until all but so many links are armed. */
    private void coolDownBut(int few, Poller poller, List<FakeLink> all) throws IOException {
        for (int i = 0; i < 10_000 && armed(all) < all.size() - few; i++) {
            poller.poll(-1, sink);
        }
        assertThat(armed(all)).as("armed links").isGreaterThanOrEqualTo(all.size() - few);
        found.clear();
    }

    private static long armed(List<FakeLink> links) {
        return links.stream().filter(FakeLink::isArmed).count();
    }

    @Test
    void interestDecidesWhatIsFound() throws Exception {
        Poller poller = poller(20_000, 64);
        FakeLink link = newLink();
        Registration registration = poller.register(link, 0, link);
        open.add(registration::close);
        link.make(OP_READ | OP_WRITE);
        assertThat(poll(poller, 2 * MILLI)).isZero();
        registration.interest(OP_WRITE);
        assertThat(poll(poller, -1)).isPositive();
        assertThat(found).containsOnly(Map.entry(link, OP_WRITE));
        registration.interest(0);
        assertThat(poll(poller, 2 * MILLI)).isZero();
        assertThat(registration.interest()).isZero();
        assertThat(registration.attachment()).isSameAs(link);
    }

    @Test
    void aRefreshBringsAColdLinkBack() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink link = newLink();
        Registration registration = poller.register(link, OP_READ, link);
        open.add(registration::close);
        coolDown(poller, link);
        Background<Integer> sleeper = Background.start(() -> poll(poller, -1));
        sleeper.awaitAsleep();
        link.deadline = System.nanoTime(); // due at once, but only a refresh shows it
        registration.refresh();
        registration.interest(OP_CONNECT);
        registration.refresh();
        assertThat(sleeper.get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(found).containsOnly(Map.entry(link, OP_CONNECT));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, LONG_SPIN})
    void aDeadlineIsKept(long spin) throws Exception {
        Poller poller = poller(spin, 64);
        FakeLink link = newLink();
        long due = System.nanoTime() + 30 * MILLI;
        link.deadline = due;
        open.add(poller.register(link, OP_CONNECT, link)::close);
        assertThat(poll(poller, -1)).isPositive();
        assertThat(System.nanoTime() - due).isBetween(0L, 500 * MILLI);
        assertThat(link.timeouts).hasValue(1);
    }

    @Test
    void whatIsClosedCannotBeRegistered() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink link = newLink();
        link.close();
        assertThatThrownBy(() -> poller.register(link, OP_READ, link)).isInstanceOf(ClosedChannelException.class);
        FakeKernel kernel = new FakeKernel();
        kernel.close();
        assertThatThrownBy(() -> poller.register(kernel, OP_READ, kernel)).isInstanceOf(ClosedChannelException.class);
        assertThat(kernel.releases).hasValue(1);
    }

    // ---- waiting

    @ParameterizedTest
    @ValueSource(longs = {0, 20_000, LONG_SPIN})
    void aTimeoutIsNeverEarlyAndSoonOver(long spin) throws Exception {
        Poller poller = poller(spin, 64);
        link(poller, OP_READ);
        for (long timeout : new long[] {1, 300_000, MILLI, 1_500_000, 30 * MILLI}) {
            assertThat(leastDelay(poller, timeout)).isBetween(0L, 300 * MILLI);
        }
        assertThat(leastDelay(poller, 0)).isLessThan(100 * MILLI);
    }

    /** How late the most punctual of some polls ends: others may have the processor when one ends. None is early. */
    private long leastDelay(Poller poller, long timeout) throws IOException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long start = System.nanoTime();
            assertThat(poll(poller, timeout)).isZero();
            long delay = System.nanoTime() - start - timeout;
            assertThat(delay).isNotNegative();
            least = Math.min(least, delay);
        }
        return least;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, LONG_SPIN})
    void aWakeupIsKeptForTheNextPollAndForOneOnly(long spin) throws Exception {
        Poller poller = poller(spin, 64);
        link(poller, OP_READ);
        poller.wakeup();
        poller.wakeup();
        assertThat(poll(poller, -1)).isZero();
        long start = System.nanoTime();
        assertThat(poll(poller, 30 * MILLI)).isZero();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30 * MILLI);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, LONG_SPIN})
    void aWakeupEndsAPollUnderWay(long spin) throws Exception {
        Poller poller = poller(spin, 64);
        link(poller, OP_READ);
        for (int i = 0; i < 50; i++) {
            Background<Integer> waiting = Background.start(() -> poll(poller, -1));
            if (i % 3 == 1) {
                waiting.awaitIn(Poller.class, "poll");
            } else if (i % 3 == 2 && spin == 0) {
                waiting.awaitAsleep();
            }
            poller.wakeup();
            assertThat(waiting.get(10, TimeUnit.SECONDS)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, LONG_SPIN})
    void anInterruptEndsAPollAndIsKept(long spin) throws Exception {
        Poller poller = poller(spin, 64);
        link(poller, OP_READ);
        Background<Boolean> waiting = Background.start(() -> {
            poll(poller, -1);
            boolean first = Thread.currentThread().isInterrupted();
            poll(poller, -1);
            return first && Thread.interrupted();
        });
        waiting.awaitIn(Poller.class, "poll");
        waiting.thread().interrupt();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Like a listener whose connections have been taken: new ones come with a refresh. */
    @Test
    void doesNotSpinForWhatHasNothingInMemory() throws Exception {
        Poller poller = poller(LONG_SPIN, 64);
        FakeLink link = link(poller, OP_READ);
        link.make(OP_READ);
        assertThat(poll(poller, -1)).isPositive();
        link.make(0);
        link.polled = false;
        FutureTask<Integer> waiting = start(() -> poll(poller, -1));
        try {
            await().atMost(Duration.ofSeconds(10)).until(link::isArmed);
        } finally {
            poller.wakeup();
        }
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isZero();
    }

    // ---- closing

    @Test
    void closedWhileNobodyPollsIsReleasedAtOnce() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink link = newLink();
        Registration registration = poller.register(link, OP_READ, link);
        registration.close();
        assertThat(link.isRegistered()).isFalse();
        registration.close();
        registration.interest(OP_WRITE);
        registration.refresh();
        assertThat(poll(poller, 0)).isZero();
        assertThat(link.releases).hasValue(1);
    }

    /** If it were released twice, its memory would be freed while others look at it. */
    @Test
    void closedWhileItIsRegisteredIsReleasedOnce() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink link = newLink();
        link.whileRegistering = registration -> {
            registration.close();
            link.close();
        };
        assertThatThrownBy(() -> poller.register(link, OP_READ, link)).isInstanceOf(ClosedChannelException.class);
        assertThat(poll(poller, 0)).isZero();
        assertThat(link.releases).hasValue(1);
    }

    @Test
    void closedWhileItIsRegisteredIsReleasedWithItsKey() throws Exception {
        Poller poller = poller(0, 64);
        FakeLink link = newLink();
        link.whileRegistering = Registration::close;
        Registration registration = poller.register(link, OP_READ, link);
        assertThat(link.releases).hasValue(1);
        assertThat(registration.key.isValid()).isFalse();
        assertThat(link.watched().isRegistered()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, LONG_SPIN})
    void closedDuringAPollIsReleasedSoonAndThePollGoesOn(long spin) throws Exception {
        Poller poller = poller(spin, 64);
        FakeLink staying = link(poller, OP_READ);
        FutureTask<Integer> waiting = start(() -> poll(poller, -1));
        for (int i = 0; i < 20; i++) {
            FakeLink link = newLink();
            Registration registration = poller.register(link, OP_READ, link);
            if (i % 2 == 0) {
                await().pollInterval(Duration.ofMillis(1)).until(() -> link.looks.get() > 0);
            }
            registration.close();
            await().pollInterval(Duration.ofMillis(1))
                    .atMost(Duration.ofSeconds(5))
                    .until(() -> !link.isRegistered());
            link.close(); // its descriptor goes, too, only if the inner selector has let go of it
        }
        assertThat(waiting.isDone()).isFalse();
        staying.make(OP_READ);
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isPositive();
    }

    @Test
    void aChannelThatWasClosedMayGoBackToBlockingMode() throws Exception {
        Poller poller = poller(0, 64);
        FakeKernel kernel = new FakeKernel();
        open.add(kernel);
        Registration registration = poller.register(kernel, OP_READ, kernel);
        Background<Integer> waiting = Background.start(() -> poll(poller, -1));
        waiting.awaitAsleep();
        registration.close();
        assertThat(kernel.watched().configureBlocking(true).isBlocking()).isTrue();
        await().until(() -> kernel.releases.get() == 1);
        poller.wakeup();
        waiting.get(10, TimeUnit.SECONDS);
    }

    /** One broken registration must not end the poller for the others: the turn is given back. */
    @Test
    void aPollableThatThrowsDoesNotKeepTheTurn() throws Exception {
        Poller poller = poller(0, 64);
        FakeKernel kernel = new FakeKernel();
        open.add(kernel);
        Registration broken = poller.register(kernel, OP_READ, kernel);
        broken.interest(1 << 30); // no operation of any channel
        assertThatThrownBy(() -> poll(poller, 0)).isInstanceOf(IllegalArgumentException.class);
        broken.close();
        FakeLink link = link(poller, OP_READ);
        link.make(OP_READ);
        assertThat(start(() -> poll(poller, -1)).get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(found).containsOnlyKeys(link);
        assertThat(kernel.releases).hasValue(1);
    }

    // ---- with

    private Poller poller(long spin, int hotMax) throws IOException {
        Poller poller = new Poller(new PollConfig(spin, 200, hotMax, 0, PollConfig.Yielding.ADAPTIVE));
        open.add(poller);
        return poller;
    }

    private FakeLink newLink() throws IOException {
        FakeLink link = new FakeLink();
        open.add(link);
        links.add(link);
        return link;
    }

    private FakeLink link(Poller poller, int interest) throws IOException {
        FakeLink link = newLink();
        open.add(poller.register(link, interest, link)::close);
        return link;
    }

    private FakeKernel kernel(Poller poller, int interest) throws IOException {
        FakeKernel kernel = new FakeKernel();
        open.add(kernel);
        open.add(poller.register(kernel, interest, kernel)::close);
        return kernel;
    }

    /** Polls until the links are armed. */
    private void coolDown(Poller poller, FakeLink... coldOnes) throws IOException {
        for (FakeLink link : coldOnes) {
            for (int i = 0; i < 100 && !link.isArmed(); i++) {
                poller.poll(MILLI, sink);
            }
            assertThat(link.isArmed()).as("armed").isTrue();
        }
        found.clear();
    }

    private int poll(Poller poller, long timeout) throws IOException {
        found.clear();
        return poller.poll(timeout, sink);
    }

    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }
}
