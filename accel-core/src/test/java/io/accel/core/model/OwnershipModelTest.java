// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The record by which one end proves itself, among the bytes of the program: {@link io.accel.core.fabric.Ownership}. The sender tells its
 * place through the device, which delivers when it likes, and acknowledges later. The reader reads in any pieces, from a kernel that may
 * have only a part of the record. The link may end at any moment.
 *
 * <p>The peer may be proved by the receiver's own record as well. It then switches with no record of its own, and its announcement may
 * stand at the place told. A second thread looks ahead for the record, in the place of a selector.
 *
 * <p>Each byte of the program's begins like a record. So whoever finds one alone at the place told reads the next byte as well, which may be
 * the announcement, or begin the record that stands at a later place.
 */
@Timeout(180) // it looks at all orders, and has half a minute of work on a slow machine
class OwnershipModelTest {
    /** The number of bytes that the program writes. */
    private static final int TOTAL = 3;
    /** The number of bytes of a record. */
    private static final int RECORD = 2;
    /** The number of reads: one for each byte and one more. What begins like a record takes another. */
    private static final int ROUNDS = TOTAL + RECORD + 1 + TOTAL;

    /** The bytes in the kernel: a digit of base 4 for each, 1 for one of the program's, 2 for one of a record, 3 for an announcement. */
    private static final int WIRE = 0;

    private static final int WRITTEN = 1;
    /** The place posted to the device, plus 1; 0 for none. */
    private static final int POSTED = 2;
    /** The place that the receiver's memory has, plus 1. */
    private static final int PLACE = 3;
    /** The place that was acknowledged, plus 1. */
    private static final int ACKNOWLEDGED = 4;
    /** Whether the record was sent. */
    private static final int SENT = 5;
    /** How many bytes were read from the kernel. */
    private static final int READ = 6;
    /** How many of the program's bytes it has. */
    private static final int GOT = 7;
    /** How many bytes were read and not looked at yet. */
    private static final int HAND = 8;
    /** Whether the reader has found the record, so that the peer is proved, and has its secret back. */
    private static final int FOUND = 9;
    /** How many bytes the sender has put into the link. */
    private static final int RING = 10;
    /** Whether the link has ended at the receiver. */
    private static final int ENDED = 11;

    /** Whether the sender is proved by the other end's record. */
    private static final int OTHER = 12;
    /** The place of the switch that the receiver's memory has, plus 1; 0 for none. */
    private static final int SWITCHED = 13;
    /** How many bytes were read ahead, and are the program's next. */
    private static final int ASIDE = 14;
    /** How many bytes the thread that looks ahead may take, as far as it knows. */
    private static final int MAY_TAKE = 15;

    /** Whether the reader is to read the next byte as well, because the last one begins like a record. */
    private static final int REST = 16;
    /** The same of the thread that looks ahead. */
    private static final int REST_AHEAD = 17;

    private static final int WORDS = 18;

    enum Mutation {
        NONE,
        /** The record goes before the device has acknowledged its place. */
        SENT_UNACKNOWLEDGED,
        /** The record goes although the program has written since the place was told. */
        SENT_ELSEWHERE,
        /** The receiver looks for the place before it reads, and not after. */
        LOOK_BEFORE_READ,
        /** A part of the record is given to the program. */
        PART_TAKEN_FOR_BYTES,
        /** The receiver forgets the place with the link. */
        PLACE_FORGOTTEN_WITH_THE_LINK,
        /** Bytes go over the link when the record was sent, and not when the peer is known to have it. */
        USED_BEFORE_THE_SECRET_IS_BACK,
        /** Who looks ahead does not look for the switch. */
        ANNOUNCEMENT_TAKEN_AHEAD,
        /** Who looks ahead looks for the switch before it asks the kernel for its bytes. */
        LOOK_FOR_SWITCH_BEFORE_KERNEL,
        /** What was read in search of the rest of a record is taken for the program's bytes. */
        REST_TAKEN_FOR_BYTES,
        /** What was read in search of the rest of a record is not compared with the record whose place is told meanwhile. */
        REST_NOT_COMPARED
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 9})
    void noByteIsLostOrMadeUpAndNoneGoesToAStranger(int piece) {
        assertThat(explore(Mutation.NONE, piece)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsItFails(Mutation mutation) {
        assertThat(explore(mutation, 1).or(() -> explore(mutation, 2)).or(() -> explore(mutation, 9)))
                .isPresent();
    }

    /** The reader comes as far as the program has written, whatever has become of the link. */
    @Test
    void theRecordIsSentInSomeRun() {
        Program[] programs = {sender(Mutation.NONE), device(), receiver(Mutation.NONE, 2), ending()};
        assertThat(new Explorer(memory -> memory.word(SENT) == 0, programs)
                        .explore(new Memory(WORDS, programs.length, 1), 200))
                .isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation, int piece) {
        Program[] programs = {
            sender(mutation), device(), receiver(mutation, piece), ending(), otherRecord(), ahead(mutation)
        };
        Explorer explorer = new Explorer(memory -> memory.word(GOT) + memory.word(RING) == TOTAL, programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 200);
    }

    private static Program ending() {
        return new Program().update("the link ends", ENDED, old -> 1);
    }

    private static Program otherRecord() {
        return new Program().update("the sender finds the other end's record", OTHER, old -> 1);
    }

    /** Incoming.takeRecordAhead, under the lock of the reader. */
    private static Program ahead(Mutation mutation) {
        boolean isEarly = mutation == Mutation.LOOK_FOR_SWITCH_BEFORE_KERNEL;
        Program ahead = new Program();
        ahead.act("ask the kernel", m -> m.word(HAND) % 100 == 0 && m.word(REST) == 0, m -> {
            boolean mayTake = isEarly ? !isSwitchHere(m) : m.word(READ) < m.word(WRITTEN);
            m.word(MAY_TAKE, mayTake && m.word(PLACE) - 1 == position(m) ? 1 : 0);
        });
        ahead.act("look for the switch, and read", m -> true, m -> {
            boolean takes = isEarly
                    ? m.word(READ) < m.word(WRITTEN)
                    : mutation == Mutation.ANNOUNCEMENT_TAKEN_AHEAD || !isSwitchHere(m);
            if (m.word(MAY_TAKE) == 1 && takes) {
                takeAhead(m);
            }
            m.word(MAY_TAKE, 0);
        });
        ahead.act("read the rest", m -> true, m -> searchRest(m, REST_AHEAD, mutation));
        ahead.act("read more of the rest", m -> true, m -> {
            searchRest(m, REST_AHEAD, mutation);
            m.word(REST_AHEAD, 0);
        });
        ahead.check("an announcement was set aside", m -> m.word(GOT) <= TOTAL);
        return ahead;
    }

    private static int position(Memory m) {
        return m.word(GOT) + m.word(ASIDE);
    }

    private static boolean isSwitchHere(Memory m) {
        return m.word(SWITCHED) - 1 == position(m);
    }

    private static void takeAhead(Memory m) {
        int came = byteAt(m, m.word(READ));
        if (came == 2) {
            m.word(FOUND, 1);
            m.word(READ, m.word(READ) + RECORD); // the rest is waited for
        } else {
            m.word(READ, m.word(READ) + 1);
            m.word(ASIDE, m.word(ASIDE) + 1);
            m.word(REST_AHEAD, 1);
            m.word(GOT, came == 3 ? 100 : m.word(GOT));
        }
    }

    /** Incoming.withRest, setAsideBehind, under the lock of the reader. */
    private static void searchRest(Memory m, int rest, Mutation mutation) {
        boolean comes = m.word(rest) == 1 && m.word(READ) < m.word(WRITTEN);
        m.word(READ, m.word(READ) + (comes ? 1 : 0));
        m.word(rest, comes && lookAtRest(m, mutation) ? 1 : 0);
    }

    /** Returns whether the byte is at the place of a record, and begins like one. */
    private static boolean lookAtRest(Memory m, Mutation mutation) {
        int came = byteAt(m, m.word(READ) - 1);
        boolean isPlace = m.word(PLACE) - 1 == position(m) && mutation != Mutation.REST_NOT_COMPARED;
        if (mutation != Mutation.REST_TAKEN_FOR_BYTES) {
            if (came == 2 && isPlace && m.word(FOUND) == 0) {
                m.word(FOUND, 1);
                m.word(READ, m.word(READ) + RECORD - 1);
                return false;
            }
            if (came == 3 && isSwitchHere(m)) {
                return false;
            }
        }
        m.word(ASIDE, m.word(ASIDE) + 1);
        m.word(GOT, came == 1 ? m.word(GOT) : 100);
        return isPlace;
    }

    /** OwnRecord.send, then the program's byte, then OwnRecord.wrote. */
    private static Program sender(Mutation mutation) {
        Program sender = new Program();
        for (int i = 0; i < TOTAL; i++) {
            int next = i;
            sender.act("write", m -> true, m -> {
                boolean mayUse = mutation == Mutation.USED_BEFORE_THE_SECRET_IS_BACK
                        ? m.word(SENT) == 1
                        : (m.word(FOUND) == 1 || m.word(OTHER) == 1) && m.word(ENDED) == 0;
                if (mayUse || m.word(RING) > 0) {
                    m.word(RING, m.word(RING) + 1);
                    m.word(SWITCHED, m.word(SWITCHED) == 0 ? next + 1 : m.word(SWITCHED));
                    return;
                }
                if (isSendable(m, next, mutation)) {
                    m.word(SENT, 1);
                    write(m, 2);
                    write(m, 2);
                }
                write(m, 1);
            });
            sender.check(
                    "a byte goes to a link whose peer is not proved",
                    m -> m.word(RING) == 0 || m.word(FOUND) == 1 || m.word(OTHER) == 1);
            sender.act("announce", m -> true, m -> {
                if (m.word(RING) == 1 && m.word(SWITCHED) == next + 1) {
                    write(m, 3);
                }
            });
            boolean tells = i == 0 || mutation != Mutation.SENT_ELSEWHERE;
            sender.act("tell the place", m -> true, m -> {
                if (tells && m.word(SENT) == 0) {
                    m.word(POSTED, next + 2);
                }
            });
        }
        return sender;
    }

    private static boolean isSendable(Memory m, int next, Mutation mutation) {
        if (m.word(SENT) == 1 || m.word(POSTED) == 0) {
            return false;
        }
        boolean isHere = mutation == Mutation.SENT_ELSEWHERE || m.word(POSTED) == next + 1;
        boolean isKnown = mutation == Mutation.SENT_UNACKNOWLEDGED || m.word(ACKNOWLEDGED) == m.word(POSTED);
        return isHere && isKnown;
    }

    private static void write(Memory m, int digit) {
        m.word(WIRE, m.word(WIRE) + digit * power(m.word(WRITTEN)));
        m.word(WRITTEN, m.word(WRITTEN) + 1);
    }

    private static int power(int n) {
        int value = 1;
        for (int i = 0; i < n; i++) {
            value *= 4;
        }
        return value;
    }

    private static int byteAt(Memory m, int index) {
        return m.word(WIRE) / power(index) % 4;
    }

    /** Whatever is posted arrives, and is acknowledged after that; of several places only the last may be seen. */
    private static Program device() {
        Program device = new Program();
        for (int i = 0; i < TOTAL; i++) {
            device.act("deliver", m -> true, m -> m.word(PLACE, m.word(ENDED) == 1 ? m.word(PLACE) : m.word(POSTED)))
                    .act("acknowledge", m -> true, m -> m.word(ACKNOWLEDGED, m.word(PLACE)));
        }
        return device;
    }

    /** Incoming.took, withoutRecords, withRest. */
    private static Program receiver(Mutation mutation, int piece) {
        Program receiver = new Program();
        for (int round = 0; round < ROUNDS; round++) {
            if (mutation == Mutation.LOOK_BEFORE_READ) {
                receiver.act("note the place", m -> true, m -> m.word(HAND, 100 * m.word(PLACE)));
            }
            receiver.act("read", m -> m.word(REST) == 1 || (isFree(m) && (isOver(m) || isReadable(m))), m -> {
                if (m.word(REST) == 1) {
                    searchRest(m, REST, mutation);
                    return;
                }
                if (m.word(ASIDE) > 0) {
                    m.word(GOT, position(m));
                    m.word(ASIDE, 0);
                    return;
                }
                int n = Math.min(piece, m.word(WRITTEN) - m.word(READ));
                m.word(READ, m.word(READ) + n);
                m.word(HAND, m.word(HAND) + n);
            });
            // A record that has begun to come comes as a whole: the kernel takes it so.
            receiver.act("take the record out", m -> true, m -> look(m, mutation));
            receiver.check("a byte of a record was given to the program", m -> m.word(GOT) <= TOTAL);
        }
        return receiver;
    }

    /** Whether nobody looks ahead. */
    private static boolean isFree(Memory m) {
        return m.word(MAY_TAKE) == 0 && m.word(REST_AHEAD) == 0;
    }

    private static boolean isReadable(Memory m) {
        return m.word(ASIDE) > 0 || m.word(READ) < m.word(WRITTEN);
    }

    private static boolean isOver(Memory m) {
        return m.word(GOT) + m.word(RING) == TOTAL;
    }

    private static void look(Memory m, Mutation mutation) {
        int place = mutation == Mutation.LOOK_BEFORE_READ ? m.word(HAND) / 100 : m.word(PLACE);
        if (mutation == Mutation.PLACE_FORGOTTEN_WITH_THE_LINK && m.word(ENDED) == 1) {
            place = 0;
        }
        int from = m.word(READ) - m.word(HAND) % 100;
        m.word(HAND, 0);
        for (int at = from; at < m.word(READ); at++) {
            boolean isPart = mutation == Mutation.PART_TAKEN_FOR_BYTES && m.word(READ) - at < RECORD;
            if (m.word(FOUND) == 0 && place - 1 == m.word(GOT) && byteAt(m, at) == 2 && !isPart) {
                m.word(FOUND, 1);
                m.word(READ, Math.max(m.word(READ), at + RECORD)); // the rest is waited for
                at += RECORD - 1;
            } else if (byteAt(m, at) == 3 && m.word(SWITCHED) - 1 == m.word(GOT)) {
                return; // the announcement, behind which nothing comes
            } else if (byteAt(m, at) != 1) {
                m.word(GOT, 100); // seen by the program
            } else {
                m.word(REST, at == m.word(READ) - 1 && place - 1 == m.word(GOT) ? 1 : 0);
                m.word(GOT, m.word(GOT) + 1);
            }
        }
    }
}
