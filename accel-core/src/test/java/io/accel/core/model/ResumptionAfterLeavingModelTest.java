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
 * A link that breaks when one direction may just have gone back to the kernel: {@code io.accel.core.socket.Resumption} and
 * {@code LinkWriter.leave}. That direction has switched long ago, and so has the other, or the other never does. Each end notices the
 * break at a moment of its own. Every byte has a number, and has to arrive after the one before; no program may read a record.
 */
@Timeout(180) // it looks at all orders, and has half a minute of work on a slow machine
class ResumptionAfterLeavingModelTest {
    /** The number of bytes that the sender's program writes. */
    private static final int TOTAL = 3;

    private static final int RECORD = 70;

    // The sender's.
    private static final int SENT = 0;
    private static final int BY_LINK = 1;
    /** Bytes that went over the link; behind them, if it was said, the word that the sender has left. */
    private static final int PUBLISHED = 2;

    private static final int HAS_LEFT = 3;
    /** The bytes that the device was given, of the two; after the break nothing more. */
    private static final int POSTED = 4;

    private static final int SENDER_BROKEN = 5;
    private static final int REPLAYED = 6;
    private static final int FOLLOWED = 7;

    // The receiver's.
    private static final int ARRIVED = 8;
    private static final int RECEIVER_BROKEN = 9;
    /** Whether the record is expected, and whether it has come. */
    private static final int AWAITS = 10;

    private static final int FOUND = 11;
    private static final int IN_LINK = 12;
    private static final int RING_READ = 13;
    private static final int GOT = 14;
    /** The place up to which the kernel's bytes were given to the program, and the place up to which they were searched for the record. */
    private static final int WIRE_READ = 15;

    private static final int WIRE_SEEN = 16;

    /** The receiver's record: the number of received bytes plus one; 0 if it was not sent. */
    private static final int BACK_RECORD = 17;

    /** Whether the receiver needs to hear nothing, and knows that it has all the bytes. */
    private static final int CONTENT = 18;

    private static final int WIRED = 19;
    private static final int WIRE = 20;
    private static final int WORDS = WIRE + 2 * TOTAL + 2;

    enum Mutation {
        NONE,
        /** A writer goes back although the peer's device may not have all. */
        LEAVES_BEFORE_ALL_HAS_COME,
        /** The sender speaks first, although its bytes go through the kernel. */
        SENDER_SPEAKS_FIRST,
        /** The receiver speaks first, although its bytes go through the kernel. */
        RECEIVER_SPEAKS_FIRST,
        /** The receiver takes the bytes that have come for all, without having heard so. */
        RECEIVER_IS_CONTENT,
        /** The bytes before the record in the kernel are given out before the bytes that came over the link. */
        ASIDE_FIRST
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyByteArrivesOnceAndInOrder(boolean bothSwitch) {
        assertThat(explore(Mutation.NONE, bothSwitch)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsItIsNotSo(Mutation mutation) {
        assertThat(explore(mutation, true).isPresent()
                        || explore(mutation, false).isPresent())
                .isTrue();
    }

    private static Optional<List<String>> explore(Mutation mutation, boolean bothSwitch) {
        Program[] programs = {
            writer(),
            leaver(mutation),
            device(),
            happens("the sender's link breaks", SENDER_BROKEN),
            happens("the receiver's link breaks", RECEIVER_BROKEN),
            senderResumes(mutation, bothSwitch),
            receiverResumes(mutation, bothSwitch),
            receiverHears(),
            reader(mutation)
        };
        Explorer explorer = new Explorer(m -> m.word(GOT) == TOTAL || isReset(m, bothSwitch), programs);
        Memory start = new Memory(WORDS, programs.length, 1);
        start.word(BY_LINK, 1);
        start.word(IN_LINK, 1);
        return explorer.explore(start, 1000);
    }

    /** The receiver has not heard that the sender left, and neither may speak: they give up after a while. */
    private static boolean isReset(Memory m, boolean bothSwitch) {
        return !bothSwitch && m.word(HAS_LEFT) == 1 && !hasHeardOfLeaving(m);
    }

    private static Program happens(String what, int word) {
        return new Program().act(what, m -> true, m -> m.word(word, 1));
    }

    private static void append(Memory m, int value) {
        m.word(WIRE + m.word(WIRED), value);
        m.word(WIRED, m.word(WIRED) + 1);
    }

    // ---- the sender

    /** LinkWriter.write; if the link is broken, the mirror takes the bytes. */
    private static Program writer() {
        return new Program()
                .label("next")
                .act("write", m -> m.word(SENT) < TOTAL, m -> {
                    int next = m.word(SENT) + 1;
                    m.word(SENT, next);
                    if (m.word(BY_LINK) == 0) {
                        append(m, next);
                    } else {
                        m.word(PUBLISHED, next);
                        m.word(POSTED, m.word(SENDER_BROKEN) == 1 ? m.word(POSTED) : next);
                    }
                })
                .jump("next");
    }

    /** Outgoing.goBack. */
    private static Program leaver(Mutation mutation) {
        boolean isRash = mutation == Mutation.LEAVES_BEFORE_ALL_HAS_COME;
        return new Program()
                .act(
                        "leave",
                        m -> m.word(BY_LINK) == 1
                                && m.word(SENDER_BROKEN) == 0
                                && (m.word(ARRIVED) == m.word(PUBLISHED) || isRash),
                        m -> {
                            m.word(HAS_LEFT, 1);
                            m.word(BY_LINK, 0);
                            m.word(POSTED, m.word(PUBLISHED) + 1);
                        });
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

    private static Program senderResumes(Mutation mutation, boolean bothSwitch) {
        return new Program()
                .await("is it broken?", m -> m.word(SENDER_BROKEN) == 1)
                .load("over the link?", BY_LINK)
                .jumpIf(a -> a == 0 && !bothSwitch && mutation != Mutation.SENDER_SPEAKS_FIRST, "silent")
                .jumpIf(a -> a == 0 && mutation != Mutation.SENDER_SPEAKS_FIRST, "hear first")
                .act("speak first", m -> true, m -> append(m, RECORD))
                .await("hear", m -> m.word(BACK_RECORD) > 0)
                .jump("heard")
                .label("hear first")
                .await("hear", m -> m.word(BACK_RECORD) > 0)
                .act("speak, if all has come", m -> true, m -> {
                    if (m.word(FOLLOWED) == 0 && m.word(BACK_RECORD) - 1 != m.word(PUBLISHED)) {
                        throw new Program.Violation("the sender gives up");
                    }
                    append(m, RECORD);
                })
                .label("heard")
                .act("see what is to be sent again", m -> true, m -> m.word(REPLAYED, m.word(BACK_RECORD) - 1))
                .label("replay")
                .load("over the link?", BY_LINK)
                .jumpIf(a -> a == 0, "silent")
                .act("send again, or go back", m -> true, m -> {
                    if (m.word(REPLAYED) < m.word(PUBLISHED)) {
                        m.word(REPLAYED, m.word(REPLAYED) + 1);
                        append(m, m.word(REPLAYED));
                    }
                    if (m.word(REPLAYED) == m.word(PUBLISHED)) {
                        m.word(BY_LINK, 0);
                    }
                })
                .jump("replay")
                .label("silent");
    }

    // ---- the receiver

    private static int bytesArrived(Memory m) {
        return Math.min(m.word(ARRIVED), m.word(PUBLISHED));
    }

    private static boolean hasHeardOfLeaving(Memory m) {
        return m.word(HAS_LEFT) == 1 && m.word(ARRIVED) > m.word(PUBLISHED);
    }

    private static Program receiverResumes(Mutation mutation, boolean bothSwitch) {
        boolean isFirst = bothSwitch || mutation == Mutation.RECEIVER_SPEAKS_FIRST;
        return new Program()
                .act("await a word, if one is needed", m -> m.word(RECEIVER_BROKEN) == 1, m -> {
                    boolean needs =
                            m.word(IN_LINK) == 1 && !hasHeardOfLeaving(m) && mutation != Mutation.RECEIVER_IS_CONTENT;
                    m.word(AWAITS, bothSwitch || needs ? 1 : 0);
                    m.word(CONTENT, bothSwitch || needs ? 0 : 1);
                })
                .load("is one needed?", AWAITS)
                .jumpIf(a -> a == 0, "silent")
                .await("may it speak?", m -> isFirst || m.word(FOUND) == 1)
                .act("speak", m -> true, m -> {
                    if (!bothSwitch && m.word(SENDER_BROKEN) == 0) {
                        throw new Program.Violation("the record is given to the sender's program");
                    }
                    m.word(BACK_RECORD, bytesArrived(m) + 1);
                })
                .label("silent");
    }

    /** Incoming, and the work of Resumption on it. */
    private static Program reader(Mutation mutation) {
        return new Program()
                .label("next")
                .act("read", m -> canReadRing(m) || canFollow(m) || canReadWire(m, mutation), m -> {
                    if (canReadWire(m, mutation)) {
                        readWire(m);
                    } else if (canReadRing(m)) {
                        m.word(RING_READ, m.word(RING_READ) + 1);
                        give(m, m.word(RING_READ));
                    } else {
                        m.word(IN_LINK, 0);
                        boolean tells = m.word(RECEIVER_BROKEN) == 0 && m.word(SENDER_BROKEN) == 0;
                        m.word(FOLLOWED, tells ? 1 : 0);
                    }
                })
                .jump("next");
    }

    private static boolean canReadRing(Memory m) {
        return m.word(IN_LINK) == 1 && m.word(RING_READ) < bytesArrived(m);
    }

    private static boolean canFollow(Memory m) {
        boolean knows = m.word(AWAITS) == 1 ? m.word(FOUND) == 1 : m.word(CONTENT) == 1 || hasHeardOfLeaving(m);
        return m.word(IN_LINK) == 1 && m.word(RING_READ) == bytesArrived(m) && knows;
    }

    /** Searches the kernel's bytes for the record, and leaves the rest for the program. */
    private static Program receiverHears() {
        return new Program()
                .label("next")
                .act(
                        "look for the record",
                        m -> m.word(AWAITS) == 1 && m.word(FOUND) == 0 && m.word(WIRE_SEEN) < m.word(WIRED),
                        ResumptionAfterLeavingModelTest::see)
                .jump("next");
    }

    private static void see(Memory m) {
        if (m.word(WIRE + m.word(WIRE_SEEN)) == RECORD) {
            m.word(FOUND, 1);
        }
        m.word(WIRE_SEEN, m.word(WIRE_SEEN) + 1);
    }

    private static boolean canReadWire(Memory m, Mutation mutation) {
        boolean isNext = m.word(IN_LINK) == 0 || (mutation == Mutation.ASIDE_FIRST && m.word(WIRE_SEEN) > 0);
        return isNext && m.word(WIRE_READ) < m.word(WIRED);
    }

    private static void readWire(Memory m) {
        int at = m.word(WIRE_READ);
        m.word(WIRE_READ, at + 1);
        if (m.word(WIRE + at) != RECORD) {
            give(m, m.word(WIRE + at));
        } else if (at >= m.word(WIRE_SEEN) && m.word(AWAITS) == 0) {
            throw new Program.Violation("the record is given to the receiver's program");
        }
        if (at >= m.word(WIRE_SEEN)) {
            m.word(WIRE_SEEN, at);
            see(m);
        }
    }

    private static void give(Memory m, int value) {
        if (value != m.word(GOT) + 1) {
            throw new Program.Violation("after byte " + m.word(GOT) + " came " + value);
        }
        m.word(GOT, value);
    }
}
