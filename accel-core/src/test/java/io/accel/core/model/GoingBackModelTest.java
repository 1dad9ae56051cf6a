// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One direction of a stream whose sender goes to the link, back to the kernel when it finds the link overdue, and to the link
 * again: {@link io.accel.core.socket.Outgoing#goBack} and {@link io.accel.core.socket.Incoming#follow}. Every byte has a number, and
 * has to arrive after the one before. System calls are full fences; the words in the link are plain stores.
 */
class GoingBackModelTest {
    /** The number of bytes that the program writes. */
    private static final int TOTAL = 4;

    private static final int ANNOUNCEMENT = 90;
    /** A preface that says 0 bytes; one more for each. */
    private static final int PREFACE = 100;

    // The words that both ends see.
    private static final int LEFT = 0;
    private static final int FOLLOWED = 1;
    private static final int PUBLISHED = 2;
    private static final int WIRED = 3;
    /** Set by the thread that watches full links. */
    private static final int OVERDUE = 4;

    // The sender's own.
    private static final int SENT = 5;
    private static final int GIVEN = 6;
    private static final int BY_LINK = 7;
    private static final int UNFOLLOWED = 8;
    private static final int UNANNOUNCED = 9;

    // The receiver's own.
    private static final int GOT = 10;
    private static final int TAKEN = 11;
    private static final int IN_LINK = 12;
    private static final int DUE = 13;
    private static final int RING_READ = 14;
    private static final int ORIGIN = 15;
    private static final int WIRE_READ = 16;
    /** The end of the bytes that were read from the kernel and are being looked at; they begin at WIRE_READ. */
    private static final int READ_TO = 17;
    /** The bytes that are set aside: from here up to ASIDE_TO on the wire. */
    private static final int ASIDE = 18;

    private static final int ASIDE_TO = 19;
    private static final int SEEN_LEFT = 20;

    private static final int RING = 21;
    private static final int WIRE = RING + 2 * TOTAL + 4;
    private static final int WORDS = WIRE + 2 * TOTAL + 4;

    enum Mutation {
        NONE,
        /** Bytes that come behind the announcement in one read are dropped with it. */
        ASIDE_DROPPED,
        /** They are given to the program at once. */
        ASIDE_AT_ONCE,
        /** The sender returns to the link before the receiver has followed. */
        RETURNS_UNFOLLOWED,
        /** The sender says that it has left before its last byte is published. */
        LEFT_BEFORE_LAST,
        /** The receiver looks at the state after it has looked whether the ring is empty. */
        STATE_AFTER_CURSOR,
        /** The receiver does not forget that the sender had left. */
        LEFT_NOT_FORGOTTEN,
        /** The sender leaves although its announcement is still to be sent. */
        LEAVES_UNANNOUNCED,
        /** The receiver does not take the announcement away before it follows. */
        ANNOUNCEMENT_KEPT
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyByteArrivesOnceAndInOrder(boolean readsAll) {
        assertThat(explore(Mutation.NONE, readsAll)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsBytesAreLostOrDisordered(Mutation mutation) {
        assertThat(explore(mutation, true).isPresent()
                        || explore(mutation, false).isPresent())
                .isTrue();
    }

    @Test
    void theSenderGoesBackTwice() {
        Program[] programs = programs(Mutation.NONE, true);
        // If it never did, the state would be an end everywhere: so the explorer finds a way to an end where it did.
        Explorer explorer = new Explorer(memory -> memory.word(ORIGIN) < 4, programs);
        assertThat(explorer.explore(start(programs))).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation, boolean readsAll) {
        Program[] programs = programs(mutation, readsAll);
        Explorer explorer = new Explorer(memory -> memory.word(GOT) == TOTAL, programs);
        return explorer.explore(start(programs), 1000);
    }

    /** At first the sender waits until the receiver has the link. */
    private static Memory start(Program... programs) {
        Memory memory = new Memory(WORDS, programs.length, 1);
        memory.word(UNFOLLOWED, 1);
        return memory;
    }

    private static Program[] programs(Mutation mutation, boolean readsAll) {
        return new Program[] {sender(mutation), receiver(mutation, readsAll), watcher(), announcer(), handshake()};
    }

    private static Program handshake() {
        return new Program().act("both have the link", m -> true, m -> m.word(FOLLOWED, 1));
    }

    /** The ring has been full for long at most two times. */
    private static Program watcher() {
        return new Program()
                .act("overdue", m -> true, m -> m.word(OVERDUE, 1))
                .act("overdue again", m -> m.word(OVERDUE) == 0, m -> m.word(OVERDUE, 1));
    }

    /** Makes the announcements for which there was no room. */
    private static Program announcer() {
        Program announcer = new Program();
        for (int i = 0; i < 3; i++) {
            announcer.act("announce", m -> m.word(UNANNOUNCED) == 1, m -> {
                append(m, WIRE, WIRED, ANNOUNCEMENT);
                m.word(UNANNOUNCED, 0);
            });
        }
        return announcer;
    }

    private static void append(Memory m, int at, int count, int value) {
        m.word(at + m.word(count), value);
        m.word(count, m.word(count) + 1);
    }

    private static Program sender(Mutation mutation) {
        boolean eager = mutation == Mutation.LEFT_BEFORE_LAST;
        Program sender = new Program()
                .label("next")
                .load("all sent?", SENT)
                .jumpIf(a -> a == TOTAL, "done")
                .load("over the link?", BY_LINK)
                .jumpIf(a -> a == 1, "link")
                // Outgoing.trySwitch
                .load("unfollowed?", UNFOLLOWED)
                .jumpIf(a -> a == 0, "switch");
        if (mutation != Mutation.RETURNS_UNFOLLOWED) {
            sender.load("followed?", FOLLOWED).jumpIf(a -> a == 0, "kernel");
        }
        sender.act("forget", m -> true, m -> {
                    m.word(FOLLOWED, 0);
                    m.word(UNFOLLOWED, 0);
                })
                .label("switch")
                .act("say where, and publish a byte", m -> m.word(UNANNOUNCED) == 0, m -> {
                    append(m, RING, PUBLISHED, PREFACE + m.word(GIVEN));
                    append(m, RING, PUBLISHED, m.word(SENT) + 1);
                    m.word(SENT, m.word(SENT) + 1);
                    m.word(BY_LINK, 1);
                    m.word(UNANNOUNCED, 1);
                })
                .jump("next")
                .label("kernel")
                .act("write to the kernel", m -> true, m -> {
                    append(m, WIRE, WIRED, m.word(SENT) + 1);
                    m.word(SENT, m.word(SENT) + 1);
                    m.word(GIVEN, m.word(GIVEN) + 1);
                })
                .jump("next")
                // LinkWriter.write
                .label("link")
                .load("overdue?", OVERDUE)
                .jumpIf(a -> a == 0, "publish");
        if (mutation != Mutation.LEAVES_UNANNOUNCED) {
            sender.load("unannounced?", UNANNOUNCED).jumpIf(a -> a != 0, "publish");
        }
        if (eager) {
            sender.act("leave early", m -> true, m -> m.word(LEFT, 1)).act("publish the last", m -> true, m -> {
                append(m, RING, PUBLISHED, m.word(SENT) + 1);
                m.word(SENT, m.word(SENT) + 1);
            });
        }
        return sender.act("leave", m -> true, m -> {
                    m.word(LEFT, eager ? m.word(LEFT) : 1);
                    m.word(OVERDUE, 0);
                    m.word(UNFOLLOWED, 1);
                    m.word(BY_LINK, 0);
                })
                .jump("next")
                .label("publish")
                .act("publish", m -> true, m -> {
                    append(m, RING, PUBLISHED, m.word(SENT) + 1);
                    m.word(SENT, m.word(SENT) + 1);
                })
                .jump("next")
                .label("done");
    }

    private static Program receiver(Mutation mutation, boolean readsAll) {
        Program receiver = new Program()
                .label("next")
                .load("all?", GOT)
                .jumpIf(a -> a == TOTAL, "done")
                .load("in the link?", IN_LINK)
                .jumpIf(a -> a == 1, "link")
                // Incoming.readAside
                .act("read aside", m -> true, m -> {
                    while (m.word(ASIDE) < m.word(ASIDE_TO)) {
                        give(m, m.word(WIRE + m.word(ASIDE)));
                        m.word(ASIDE, m.word(ASIDE) + 1);
                        m.word(TAKEN, m.word(TAKEN) + 1);
                    }
                })
                .load("all?", GOT)
                .jumpIf(a -> a == TOTAL, "done")
                .act(
                        "read from the kernel",
                        m -> m.word(WIRE_READ) < m.word(WIRED),
                        m -> m.word(READ_TO, readsAll ? m.word(WIRED) : m.word(WIRE_READ) + 1))
                .act("what was read", m -> true, m -> took(m, mutation))
                .jump("next")
                // LinkReader.read, Incoming.follow
                .label("link");
        if (mutation != Mutation.STATE_AFTER_CURSOR) {
            receiver.act("look at the state", m -> true, m -> m.word(SEEN_LEFT, m.word(LEFT)));
        }
        receiver.load("(nothing)", PUBLISHED)
                .act("compare", m -> true, m -> m.word(READ_TO, m.word(PUBLISHED) - m.word(RING_READ)))
                .load("any in the ring?", READ_TO)
                .jumpIf(a -> a == 0, "empty")
                .act("read from the ring", m -> true, m -> {
                    give(m, m.word(RING + m.word(RING_READ)));
                    m.word(RING_READ, m.word(RING_READ) + 1);
                })
                .jump("next")
                .label("empty");
        if (mutation == Mutation.STATE_AFTER_CURSOR) {
            receiver.act("look at the state", m -> true, m -> m.word(SEEN_LEFT, m.word(LEFT)));
        }
        return receiver.load("left?", SEEN_LEFT)
                .jumpIf(a -> a != 0, "follow")
                .await("wait", m -> m.word(PUBLISHED) > m.word(RING_READ) || m.word(LEFT) != 0)
                .jump("next")
                .label("follow")
                .act("follow", m -> m.word(DUE) == 0 || m.word(WIRE_READ) < m.word(WIRED), m -> {
                    if (m.word(DUE) == 1 && mutation != Mutation.ANNOUNCEMENT_KEPT) {
                        if (m.word(WIRE + m.word(WIRE_READ)) != ANNOUNCEMENT) {
                            throw new Program.Violation("a byte of the program's was taken for the announcement");
                        }
                        m.word(WIRE_READ, m.word(WIRE_READ) + 1);
                    }
                    m.word(DUE, 0);
                    m.word(LEFT, mutation == Mutation.LEFT_NOT_FORGOTTEN ? m.word(LEFT) : 0);
                    m.word(ORIGIN, m.word(RING_READ));
                    m.word(IN_LINK, 0);
                })
                .act("say so", m -> true, m -> m.word(FOLLOWED, 1))
                .jump("next")
                .label("done");
    }

    /** Incoming.took, setAside. */
    private static void took(Memory m, Mutation mutation) {
        int from = m.word(WIRE_READ);
        int to = m.word(READ_TO);
        int taken = m.word(TAKEN) + to - from;
        boolean says = m.word(PUBLISHED) > m.word(ORIGIN);
        int at = says ? m.word(RING + m.word(ORIGIN)) - PREFACE : Integer.MAX_VALUE;
        if (at < 0) {
            throw new Program.Violation("a byte of the program's was taken for a preface");
        }
        int mine = at > taken ? to : to - (taken - at);
        for (int i = from; i < mine; i++) {
            give(m, m.word(WIRE + i));
        }
        m.word(WIRE_READ, to);
        m.word(TAKEN, Math.min(taken, at));
        if (at > taken) {
            return;
        }
        if (mine < to && m.word(WIRE + mine) != ANNOUNCEMENT) {
            throw new Program.Violation("a byte of the program's was taken for the announcement");
        }
        m.word(DUE, mine < to ? 0 : 1);
        m.word(IN_LINK, 1);
        m.word(RING_READ, m.word(ORIGIN) + 1);
        if (mutation == Mutation.ASIDE_AT_ONCE) {
            for (int i = mine + 1; i < to; i++) {
                give(m, m.word(WIRE + i));
            }
        } else if (mutation != Mutation.ASIDE_DROPPED) {
            m.word(ASIDE, mine + 1);
            m.word(ASIDE_TO, Math.max(mine + 1, to));
        }
    }

    private static void give(Memory m, int value) {
        if (value != m.word(GOT) + 1) {
            throw new Program.Violation("after byte " + m.word(GOT) + " came " + value);
        }
        m.word(GOT, value);
    }
}
