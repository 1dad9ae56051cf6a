// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A link that breaks at any moment, noticed by each end at a moment of its own: {@code io.accel.core.socket.Resumption}. One direction
 * is looked at, whose sender may have switched to the link, or announced that, or neither; the other has switched long ago, or
 * never does, and carries bytes of its program's. Every byte has a number, and has to arrive after the one before. The locks of
 * the two halves decide what is one step.
 */
@Timeout(180) // it looks at all orders, and has half a minute of work on a slow machine
class ResumptionModelTest {
    /** The number of bytes that the sender's program writes. */
    private static final int TOTAL = 3;
    /** The number of bytes that the other end's program writes through the kernel, if it never switches. */
    private static final int BACK = 1;

    private static final int ANNOUNCEMENT = 50;
    /** A preface that says 0 bytes; one more for each. */
    private static final int PREFACE = 60;
    /** A record that says 0 elements of the ring; one more for each. */
    private static final int RECORD = 70;

    // The sender's.
    private static final int ATTACHED = 0;
    private static final int SENT = 1;
    private static final int GIVEN = 2;
    private static final int SWITCHED = 3;
    private static final int BY_LINK = 4;
    private static final int TAIL = 5;
    /** The bytes that the device was given; after the break nothing more. */
    private static final int POSTED = 6;
    /** Whether the peer's device has acknowledged the preface before the link broke here. */
    private static final int ACKNOWLEDGED = 7;

    private static final int ANNOUNCED = 8;
    private static final int SENDER_BROKEN = 9;
    private static final int SENDER_SAID = 10;
    /** The number in the receiver's record plus one; 0 if the record has not come. */
    private static final int SENDER_FOUND = 11;

    private static final int REPLAYED = 12;
    private static final int BACK_READ = 13;
    private static final int BACK_GOT = 14;

    // The receiver's.
    private static final int ARRIVED = 15;
    private static final int RECEIVER_BROKEN = 16;
    private static final int RECEIVER_SAID = 17;
    private static final int RECEIVER_FOUND = 18;
    private static final int TAKEN = 19;
    private static final int IN_LINK = 20;
    private static final int WAS_IN_LINK = 21;
    private static final int DUE = 22;
    private static final int RING_READ = 23;
    private static final int WIRE_READ = 24;
    private static final int GOT = 25;

    private static final int WIRED = 26;
    private static final int BACK_WIRED = 27;
    private static final int RING = 28;
    private static final int WIRE = RING + TOTAL + 2;
    private static final int BACK_WIRE = WIRE + 2 * TOTAL + 4;
    private static final int WORDS = BACK_WIRE + BACK + 4;

    enum Mutation {
        NONE,
        /** An end speaks first that has not announced a switch. */
        SPEAKS_UNANNOUNCED,
        /** The receiver says what it has before the last bytes have come. */
        SAYS_BEFORE_DRAINED,
        /** Bytes that the receiver has not got are not sent again. */
        NOTHING_AGAIN,
        /** All bytes of the link are sent again. */
        ALL_AGAIN,
        /** The sender goes to the kernel before it has caught up. */
        GOES_BACK_EARLY,
        /** The receiver goes to the kernel before it has read what came over the link. */
        FOLLOWS_EARLY,
        /** The receiver takes any byte for an announcement where one is due. */
        SKIPS_BLINDLY
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyByteArrivesOnceAndInOrder(boolean bothSwitch) {
        assertThat(explore(Mutation.NONE, bothSwitch)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsBytesAreLostOrDisordered(Mutation mutation) {
        assertThat(explore(mutation, true).isPresent()
                        || explore(mutation, false).isPresent())
                .isTrue();
    }

    private static Optional<List<String>> explore(Mutation mutation, boolean bothSwitch) {
        Program[] programs = {
            writer(),
            device(),
            announcer(),
            happens("both have the link", ATTACHED),
            happens("the sender's link breaks", SENDER_BROKEN),
            happens("the receiver's link breaks", RECEIVER_BROKEN),
            senderResumes(mutation),
            senderHears(bothSwitch),
            receiverResumes(mutation, bothSwitch),
            reader(mutation),
            backWriter(bothSwitch)
        };
        Explorer explorer = new Explorer(m -> isWhole(m, bothSwitch) || isReset(m, bothSwitch), programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 1000);
    }

    private static boolean isWhole(Memory m, boolean bothSwitch) {
        return m.word(GOT) == TOTAL && (bothSwitch || m.word(BACK_GOT) == BACK);
    }

    /** Neither end may speak first, so nothing more happens, and they give up. */
    private static boolean isReset(Memory m, boolean bothSwitch) {
        return !bothSwitch && m.word(SWITCHED) == 1 && m.word(ANNOUNCED) == 0;
    }

    private static Program happens(String what, int word) {
        return new Program().act(what, m -> true, m -> m.word(word, 1));
    }

    private static void append(Memory m, int at, int count, int value) {
        m.word(at + m.word(count), value);
        m.word(count, m.word(count) + 1);
    }

    // ---- the sender

    /** Outgoing, LinkWriter.write. */
    private static Program writer() {
        return new Program()
                .label("next")
                .load("all written?", SENT)
                .jumpIf(a -> a == TOTAL, "done")
                .act("write", m -> true, m -> {
                    int next = m.word(SENT) + 1;
                    m.word(SENT, next);
                    boolean switches = m.word(ATTACHED) == 1 && m.word(SENDER_BROKEN) == 0 && m.word(SWITCHED) == 0;
                    if (switches) {
                        append(m, RING, TAIL, PREFACE + m.word(GIVEN));
                        m.word(SWITCHED, 1);
                        m.word(BY_LINK, 1);
                    }
                    if (m.word(BY_LINK) == 1) {
                        append(m, RING, TAIL, next);
                        m.word(POSTED, m.word(SENDER_BROKEN) == 1 ? m.word(POSTED) : m.word(TAIL));
                    } else {
                        append(m, WIRE, WIRED, next);
                        m.word(GIVEN, m.word(GIVEN) + 1);
                    }
                })
                .jump("next")
                .label("done");
    }

    /** Bytes on their way may arrive after the sender has given up on them. */
    private static Program device() {
        return new Program()
                .label("next")
                .act("arrive", m -> m.word(ARRIVED) < m.word(POSTED) && m.word(RECEIVER_BROKEN) == 0, m -> {
                    m.word(ARRIVED, m.word(ARRIVED) + 1);
                })
                .jump("next");
    }

    private static Program announcer() {
        return new Program()
                .act(
                        "acknowledge",
                        m -> m.word(ARRIVED) > 0 && m.word(SENDER_BROKEN) == 0,
                        m -> m.word(ACKNOWLEDGED, 1))
                .act("announce", m -> m.word(SENDER_SAID) == 0, m -> {
                    append(m, WIRE, WIRED, ANNOUNCEMENT);
                    m.word(ANNOUNCED, 1);
                });
    }

    private static Program senderResumes(Mutation mutation) {
        return new Program()
                .act(
                        "speak",
                        m -> m.word(SENDER_BROKEN) == 1
                                // An announcement that may be made is made before.
                                && (m.word(ANNOUNCED) == 1
                                        || (m.word(SENDER_FOUND) > 0 && m.word(ACKNOWLEDGED) == 0)
                                        || mutation == Mutation.SPEAKS_UNANNOUNCED),
                        m -> {
                            append(m, WIRE, WIRED, RECORD);
                            m.word(SENDER_SAID, 1);
                        })
                .act("hear", m -> m.word(SENDER_FOUND) > 0, m -> {
                    int received = m.word(SENDER_FOUND) - 1;
                    if (m.word(ANNOUNCED) == 1 && received == 0) {
                        throw new Program.Violation("a switch that was announced is not known");
                    }
                    m.word(
                            REPLAYED,
                            switch (mutation) {
                                case NOTHING_AGAIN -> m.word(TAIL);
                                case ALL_AGAIN -> 1;
                                default -> Math.max(1, received);
                            });
                })
                .label("replay")
                .load("over the link?", BY_LINK)
                .jumpIf(a -> a == 0, "done")
                .act("send again, or go back", m -> true, m -> {
                    if (m.word(REPLAYED) < m.word(TAIL)) {
                        append(m, WIRE, WIRED, m.word(RING + m.word(REPLAYED)));
                        m.word(REPLAYED, m.word(REPLAYED) + 1);
                    }
                    if (m.word(REPLAYED) == m.word(TAIL) || mutation == Mutation.GOES_BACK_EARLY) {
                        m.word(BY_LINK, 0);
                    }
                })
                .jump("replay")
                .label("done");
    }

    /** The words that come from the receiver through the kernel. A direction that has switched is read there only for the record. */
    private static Program senderHears(boolean bothSwitch) {
        return new Program()
                .label("next")
                .act(
                        "hear",
                        m -> m.word(BACK_READ) < m.word(BACK_WIRED) && (!bothSwitch || m.word(SENDER_BROKEN) == 1),
                        m -> {
                            int value = m.word(BACK_WIRE + m.word(BACK_READ));
                            m.word(BACK_READ, m.word(BACK_READ) + 1);
                            if (value < RECORD) {
                                m.word(BACK_GOT, m.word(BACK_GOT) + 1);
                            } else if (m.word(SENDER_BROKEN) == 1) {
                                m.word(SENDER_FOUND, value - RECORD + 1);
                            } else {
                                throw new Program.Violation("the record was given to the sender's program");
                            }
                        })
                .jump("next");
    }

    // ---- the receiver

    private static Program backWriter(boolean bothSwitch) {
        Program writer = new Program();
        for (int i = 0; i < BACK && !bothSwitch; i++) {
            writer.act("write back", m -> true, m -> append(m, BACK_WIRE, BACK_WIRED, 1));
        }
        return writer;
    }

    private static Program receiverResumes(Mutation mutation, boolean bothSwitch) {
        return new Program()
                .act(
                        "speak",
                        m -> (m.word(RECEIVER_BROKEN) == 1 || mutation == Mutation.SAYS_BEFORE_DRAINED)
                                && (bothSwitch
                                        || m.word(RECEIVER_FOUND) == 1
                                        || mutation == Mutation.SPEAKS_UNANNOUNCED),
                        m -> append(m, BACK_WIRE, BACK_WIRED, RECORD + m.word(ARRIVED)))
                .act("said", m -> true, m -> m.word(RECEIVER_SAID, 1));
    }

    /** Incoming, and the work of Resumption on it. */
    private static Program reader(Mutation mutation) {
        return new Program()
                .label("next")
                .act("read", m -> canReadWire(m) || canReadRing(m) || canFollow(m, mutation), m -> {
                    if (canFollow(m, mutation)) {
                        m.word(IN_LINK, 0);
                    } else if (canReadRing(m)) {
                        give(m, m.word(RING + m.word(RING_READ)));
                        m.word(RING_READ, m.word(RING_READ) + 1);
                    } else {
                        readWire(m, mutation);
                    }
                })
                .jump("next");
    }

    /** While it is at the link, the kernel has nothing for it except the record of a broken link. */
    private static boolean canReadWire(Memory m) {
        boolean hears = m.word(IN_LINK) == 0 || (m.word(RECEIVER_BROKEN) == 1 && m.word(RECEIVER_FOUND) == 0);
        return hears && m.word(WIRE_READ) < m.word(WIRED);
    }

    private static boolean canReadRing(Memory m) {
        return m.word(IN_LINK) == 1 && m.word(RING_READ) < m.word(ARRIVED);
    }

    private static boolean canFollow(Memory m, Mutation mutation) {
        boolean isEmpty = m.word(RING_READ) == m.word(ARRIVED) || mutation == Mutation.FOLLOWS_EARLY;
        return m.word(IN_LINK) == 1 && m.word(RECEIVER_FOUND) == 1 && isEmpty;
    }

    private static void readWire(Memory m, Mutation mutation) {
        int value = m.word(WIRE + m.word(WIRE_READ));
        m.word(WIRE_READ, m.word(WIRE_READ) + 1);
        boolean unused = place(m); // the bytes just read come behind the switch
        if (m.word(DUE) == 1) {
            m.word(DUE, 0);
            if (value == ANNOUNCEMENT || mutation == Mutation.SKIPS_BLINDLY) {
                return;
            }
        }
        if (value >= RECORD) {
            if (m.word(RECEIVER_BROKEN) == 0) {
                throw new Program.Violation("the record was given to the receiver's program");
            }
            m.word(RECEIVER_FOUND, 1);
        } else if (value == ANNOUNCEMENT) {
            throw new Program.Violation("the announcement was given to the program");
        } else if (m.word(IN_LINK) == 1) {
            throw new Program.Violation("the kernel has bytes that come after those of the link");
        } else {
            give(m, value);
            m.word(TAKEN, m.word(TAKEN) + 1);
            unused = place(m);
        }
    }

    /** Goes to the link if all before its first byte was read. */
    private static boolean place(Memory m) {
        boolean is = m.word(WAS_IN_LINK) == 0 && m.word(ARRIVED) > 0 && m.word(RING) - PREFACE == m.word(TAKEN);
        if (is) {
            m.word(IN_LINK, 1);
            m.word(WAS_IN_LINK, 1);
            m.word(DUE, 1);
            m.word(RING_READ, 1);
        }
        return is;
    }

    private static void give(Memory m, int value) {
        if (value != m.word(GOT) + 1) {
            throw new Program.Violation("after byte " + m.word(GOT) + " came " + value);
        }
        m.word(GOT, value);
    }
}
