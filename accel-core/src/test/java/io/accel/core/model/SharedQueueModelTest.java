// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two links that share a completion queue, each with a thread that arms it and sleeps, a third thread that looks at the queue for yet
 * another link, and a device that completes a request of each sleeper's link at any moment. No sleeper may sleep on when its completion has
 * come, whoever took it from the queue, and whoever took the announcement. These are {@code SharedQueue}'s steps under its lock, and a
 * poller's steps around them: it looks at a link that it has gone to sleep for only when the link rings.
 */
@Timeout(120)
class SharedQueueModelTest {
    private static final int LOCK = 0;
    /** The device announces the next completion. */
    private static final int DEVICE_ASKED = 1;
    /** The queue's own note that it has asked. */
    private static final int ASKED = 2;
    /** The channel can be read. */
    private static final int ANNOUNCED = 3;
    // From each of these on, a word for either link.
    /** In the device's queue. */
    private static final int QUEUED = 4;
    /** In the link's arrivals. */
    private static final int ARRIVED = 6;

    private static final int ARMED = 8;
    /** The poller has a command that says so. */
    private static final int RUNG = 10;
    /** The sleeper has seen the completion. */
    private static final int SEEN = 12;
    /** Two words for each of three threads: completions between the queue and the arrivals. */
    private static final int IN_HAND = 14;

    private static final int WORDS = 20;

    enum Mutation {
        NONE,
        /** Whoever takes a completion does not ring for its link. */
        NO_RING,
        /** Arming takes the completions first, and asks the device afterwards. */
        TAKE_BEFORE_ASKING,
        /** Arming asks the device, and does not take what has completed before. */
        NO_TAKE_AFTER_ASKING,
        /** Whoever takes an announcement does not ask for the next one. */
        NO_REQUEST_FOR_OTHERS,
        /** Or asks, and does not take what completed in between. */
        NO_TAKE_AFTER_REQUEST,
        /** Or does not note that the device has to be asked again. */
        ASKED_STAYS
    }

    @Test
    void noSleeperSleepsOn() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsOneSleepsOn(Mutation mutation) {
        Optional<List<String>> failure = explore(mutation);
        assertThat(failure).isPresent();
        assertThat(failure.orElseThrow()).last().asString().startsWith("STUCK");
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Explorer explorer = new Explorer(
                memory -> memory.word(SEEN) == 1 && memory.word(SEEN + 1) == 1,
                sleeper(mutation, 0),
                sleeper(mutation, 1),
                looker(mutation),
                device(0),
                device(1));
        return explorer.explore(new Memory(WORDS, 5, 1), 1_000);
    }

    private static Program device(int link) {
        return new Program().act("completes " + link, m -> true, m -> {
            m.word(QUEUED + link, 1);
            if (m.word(DEVICE_ASKED) == 1) {
                m.word(DEVICE_ASKED, 0);
                m.word(ANNOUNCED, 1);
            }
        });
    }

    /** Place.glance, for a link that is not here. */
    private static Program looker(Mutation mutation) {
        Program looker = new Program().compareAndSet("try the lock", LOCK, 0, 1).jumpIf(a -> a == 0, "done");
        take(looker, mutation, 2, "looking");
        return unlock(looker).label("done");
    }

    private static Program sleeper(Mutation mutation, int link) {
        Program sleeper = lock(new Program().label("arm"));
        if (mutation == Mutation.TAKE_BEFORE_ASKING) {
            take(sleeper, mutation, link, "arming");
        }
        sleeper.act("arm", m -> true, m -> {
            m.word(ARMED + link, 1);
            request(m);
        });
        if (mutation != Mutation.TAKE_BEFORE_ASKING && mutation != Mutation.NO_TAKE_AFTER_ASKING) {
            take(sleeper, mutation, link, "arming");
        }
        unlock(sleeper)
                .load("look", ARRIVED + link)
                .jumpIf(a -> a != 0, "seen")
                .label("sleep")
                .await("select", m -> m.word(ANNOUNCED) != 0 || m.word(RUNG + link) != 0)
                .update("rung?", RUNG + link, old -> 0)
                .jumpIf(a -> a == 0, "announced")
                .load("look again", ARRIVED + link)
                .jumpIf(a -> a != 0, "seen")
                .jump("arm")
                .label("announced");
        // Place.takeRings
        lock(sleeper).act("take the announcement", m -> true, m -> {
            if (m.word(ANNOUNCED) == 1) {
                m.word(ANNOUNCED, 0);
                if (mutation != Mutation.ASKED_STAYS) {
                    m.word(ASKED, 0);
                }
            }
        });
        take(sleeper, mutation, link, "announced");
        if (mutation != Mutation.NO_REQUEST_FOR_OTHERS) {
            sleeper.act("ask for the next", m -> true, m -> {
                if (m.word(ARMED) == 1 || m.word(ARMED + 1) == 1) {
                    request(m);
                }
            });
            if (mutation != Mutation.NO_TAKE_AFTER_REQUEST) {
                take(sleeper, mutation, link, "asked");
            }
        }
        return unlock(sleeper).jump("sleep").label("seen").storeVolatile("seen", SEEN + link, 1);
    }

    private static void request(Memory m) {
        if (m.word(ASKED) == 0) {
            m.word(ASKED, 1);
            m.word(DEVICE_ASKED, 1);
        }
    }

    /** SharedQueue.takeAll: from the device, and then to the links. */
    private static void take(Program program, Mutation mutation, int thread, String when) {
        int hand = IN_HAND + 2 * thread;
        program.act("take, " + when, m -> true, m -> {
            for (int link = 0; link < 2; link++) {
                m.word(hand + link, m.word(QUEUED + link));
                m.word(QUEUED + link, 0);
            }
        });
        program.act("dispatch, " + when, m -> true, m -> {
            for (int link = 0; link < 2; link++) {
                if (m.word(hand + link) == 1) {
                    m.word(hand + link, 0);
                    m.word(ARRIVED + link, 1);
                    if (m.word(ARMED + link) == 1 && mutation != Mutation.NO_RING) {
                        m.word(ARMED + link, 0);
                        m.word(RUNG + link, 1);
                    }
                }
            }
        });
    }

    private static Program lock(Program program) {
        return program.act("lock", m -> m.word(LOCK) == 0, m -> m.word(LOCK, 1));
    }

    private static Program unlock(Program program) {
        return program.act("unlock", m -> true, m -> m.word(LOCK, 0));
    }
}
