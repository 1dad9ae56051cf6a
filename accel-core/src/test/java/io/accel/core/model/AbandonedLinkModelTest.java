// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A connection leaves its link because its TCP connection has failed: {@link io.accel.core.socket.AnchorWatch} says so on the link, while a
 * reader may be at the link or on its way, and the peer, which has not heard of it, publishes, goes back and comes again. And a writer may
 * just be coming to the link, or wait for room there.
 */
class AbandonedLinkModelTest {
    // The words of the link, and the reader's own.
    private static final int STATE = 0;
    private static final int PUBLISHED = 1;
    private static final int FOLLOWED = 2;
    /** How much had been published when the link was abandoned. */
    private static final int HAD_COME = 3;

    private static final int IN_LINK = 4;
    private static final int READ = 5;
    /** The cursor at which the reader looks for the peer's preface. */
    private static final int ORIGIN = 6;

    private static final int PASSED = 7;
    private static final int SEEN = 8;
    private static final int TOLD = 9;
    /** What lies in the ring at each cursor: a preface, or a byte. */
    private static final int RING = 10;

    private static final int CURSORS = 6;
    private static final int WORDS = RING + CURSORS;

    private static final int LEFT = 1;
    private static final int ABANDONED = 2;

    private static final int PREFACE = 1;
    private static final int BYTE = 2;

    enum Reading {
        NONE,
        /** A reader that has left an abandoned link may come back. */
        COMES_BACK,
        /** It looks whether the link is abandoned before it forgets that the peer has left. */
        PASSED_BEFORE_FORGET,
        /** The states are said one after the other. */
        LEFT_FIRST,
        /** The reader looks at the state after it has looked whether the ring is empty. */
        STATE_AFTER_CURSOR,
        /** Readers are not told to leave. */
        LEFT_NOT_SAID
    }

    @Test
    void aReaderReadsWhatHadComeAndIsTold() {
        assertThat(read(Reading.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Reading.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfItsStepsAReaderHangsOrReadsNonsense(Reading mutation) {
        assertThat(read(mutation)).isPresent();
    }

    private static Optional<List<String>> read(Reading mutation) {
        Program[] programs = {reader(mutation), peer(), failure(mutation)};
        Explorer explorer = new Explorer(m -> m.word(TOLD) == 1, programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 100);
    }

    /** The peer, which does not hear of the failure: it comes to the link, writes, leaves, comes again, and writes. */
    private static Program peer() {
        return new Program()
                .act("come", m -> true, m -> publish(m, PREFACE))
                .act("write", m -> true, m -> publish(m, BYTE))
                .act("leave", m -> true, m -> m.word(STATE, m.word(STATE) | LEFT))
                .await("followed?", m -> m.word(FOLLOWED) > 0)
                .act("come again", m -> true, m -> publish(m, PREFACE))
                .act("write again", m -> true, m -> publish(m, BYTE))
                .act("and again", m -> true, m -> publish(m, BYTE));
    }

    private static void publish(Memory m, int what) {
        m.word(RING + m.word(PUBLISHED), what);
        m.word(PUBLISHED, m.word(PUBLISHED) + 1);
    }

    /** AnchorWatch, LinkBreak.abandon. */
    private static Program failure(Reading mutation) {
        Program failure = new Program();
        failure.act("note what has come", m -> true, m -> m.word(HAD_COME, m.word(PUBLISHED)));
        if (mutation == Reading.LEFT_FIRST) {
            failure.update("left", STATE, old -> old | LEFT);
        }
        return failure.update(
                "abandon", STATE, old -> old | ABANDONED | (mutation == Reading.LEFT_NOT_SAID ? 0 : LEFT));
    }

    /** LinkReader.read and Incoming.follow; Incoming.place on the kernel's path, where a read is told once the connection has failed. */
    private static Program reader(Reading mutation) {
        boolean late = mutation == Reading.STATE_AFTER_CURSOR;
        boolean early = mutation == Reading.PASSED_BEFORE_FORGET;
        Program reader = new Program()
                .label("next")
                .load("in the link?", IN_LINK)
                .jumpIf(a -> a == 1, "link")
                // the kernel's path: an announcement may come, or the failure
                .await(
                        "wait in the kernel",
                        m -> (m.word(PUBLISHED) > m.word(ORIGIN) && m.word(PASSED) == 0)
                                || (m.word(STATE) & ABANDONED) != 0)
                .act("has the peer come?", m -> true, m -> {
                    if (m.word(PASSED) == 0 && m.word(PUBLISHED) > m.word(ORIGIN)) {
                        if (m.word(RING + m.word(ORIGIN)) != PREFACE) {
                            throw new Program.Violation("a byte was taken for a preface");
                        }
                        m.word(READ, m.word(ORIGIN) + 1);
                        m.word(IN_LINK, 1);
                    }
                })
                .load("come?", IN_LINK)
                .jumpIf(a -> a == 1, "next")
                .jump("told")
                .label("link");
        if (!late) {
            reader.act("look at the state", m -> true, m -> m.word(SEEN, m.word(STATE)));
        }
        reader.act("any?", m -> true, m -> {
                    if (m.word(READ) < m.word(PUBLISHED)) {
                        m.word(READ, m.word(READ) + 1);
                        m.word(SEEN, -1);
                    }
                })
                .load("read one?", SEEN)
                .jumpIf(a -> a == -1, "next");
        if (late) {
            reader.act("look at the state", m -> true, m -> m.word(SEEN, m.word(STATE)));
        }
        reader.load("left?", SEEN)
                .jumpIf(a -> (a & LEFT) != 0, "follow")
                .await("wait", m -> m.word(READ) < m.word(PUBLISHED) || (m.word(STATE) & LEFT) != 0)
                .jump("next")
                .label("follow");
        if (early) {
            reader.act("abandoned?", m -> true, m -> m.word(PASSED, passed(m, mutation)));
        }
        reader.act("forget", m -> true, m -> {
            m.word(STATE, m.word(STATE) & ~LEFT);
            m.word(ORIGIN, m.word(READ));
        });
        if (!early) {
            reader.act("abandoned?", m -> true, m -> m.word(PASSED, passed(m, mutation)));
        }
        return reader.act("go to the kernel", m -> true, m -> m.word(IN_LINK, 0))
                .act("say so", m -> true, m -> m.word(FOLLOWED, 1))
                .jump("next")
                .label("told")
                .check(
                        "bytes that had come were not read",
                        m -> Math.max(m.word(READ), m.word(ORIGIN)) >= m.word(HAD_COME))
                .act("told", m -> true, m -> m.word(TOLD, 1));
    }

    private static int passed(Memory m, Reading mutation) {
        return mutation != Reading.COMES_BACK && (m.word(STATE) & ABANDONED) != 0 ? 1 : 0;
    }

    // ---- a writer

    private static final int ENDED = 0;
    private static final int SWITCHING = 1;
    private static final int BY_LINK = 2;
    private static final int FREED = 3;
    private static final int WRITER_TOLD = 4;
    private static final int WRITER_WORDS = 5;

    enum Writing {
        NONE,
        /** A writer at the link does not look whether it is abandoned. */
        NOT_ASKED,
        /** A writer may come to an abandoned link. */
        COMES_TO_IT,
        /** The link is freed although a writer may just be coming to it. */
        SWITCHING_NOT_ASKED,
        /** A writer says that it is coming without a fence behind that. */
        NO_FENCE_AFTER_SWITCHING
    }

    @Test
    void aWriterIsToldAndUsesNoFreedLink() {
        assertThat(write(Writing.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Writing.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfItsStepsAWriterHangsOrUsesAFreedLink(Writing mutation) {
        assertThat(write(mutation)).isPresent();
    }

    private static Optional<List<String>> write(Writing mutation) {
        Program[] programs = {writer(mutation), retirement(mutation)};
        Explorer explorer = new Explorer(m -> m.word(WRITER_TOLD) == 1, programs);
        return explorer.explore(new Memory(WRITER_WORDS, programs.length, 1), 100);
    }

    /** Outgoing.trySwitch, StreamSender.checkPeer, Outgoing.goBack; the ring has no room after the first write. */
    private static Program writer(Writing mutation) {
        Program writer = new Program();
        writer.label("next");
        if (mutation == Writing.NO_FENCE_AFTER_SWITCHING) {
            writer.store("switching", SWITCHING, 1);
        } else {
            writer.storeVolatile("switching", SWITCHING, 1);
        }
        if (mutation != Writing.COMES_TO_IT) {
            writer.load("ended?", ENDED).jumpIf(a -> a == 1, "kernel");
        }
        writer.storeVolatile("by link", BY_LINK, 1)
                .storeVolatile("has come", SWITCHING, 0)
                .label("again");
        if (mutation != Writing.NOT_ASKED) {
            writer.load("abandoned?", ENDED).jumpIf(a -> a == 1, "back");
        }
        return writer.check("a freed link is used", m -> m.word(FREED) == 0)
                .await("wait for room, or the end", m -> m.word(ENDED) == 1)
                .jump(mutation == Writing.NOT_ASKED ? "for ever" : "again")
                .label("back")
                .act("goes back", m -> true, m -> {
                    if (m.word(FREED) == 1) {
                        throw new Program.Violation("a writer came to a freed link");
                    }
                    m.word(BY_LINK, 0);
                })
                .jump("told")
                .label("kernel")
                .storeVolatile("does not come", SWITCHING, 0)
                .label("told")
                .act("told by the kernel", m -> true, m -> m.word(WRITER_TOLD, 1))
                .label("for ever");
    }

    /** LinkBreak.abandon, and LinkRetirement.leaveAbandoned. */
    private static Program retirement(Writing mutation) {
        Program retirement = new Program().update("abandon", ENDED, old -> 1);
        if (mutation != Writing.SWITCHING_NOT_ASKED) {
            retirement.load("switching?", SWITCHING).jumpIf(a -> a == 1, "later");
        }
        return retirement
                .load("by link?", BY_LINK)
                .jumpIf(a -> a == 1, "later")
                .act("free", m -> true, m -> m.word(FREED, 1))
                .label("later");
    }
}
