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
 * Both ends of a connection give back a link over which bytes may be going: {@link io.accel.core.socket.LinkRetirement}. Each end
 * has a writer, a reader, and the thread that gives links back. Nobody may touch the link after it is freed, and no byte may be lost with
 * it, even if it breaks after an end has said that it no longer uses it. All words are volatile, or written with a full fence.
 */
@Timeout(180) // it looks at all orders, and has half a minute of work on a slow machine
class RetirementModelTest {
    // Of each end.
    private static final int RETIRING = 0;
    private static final int SWITCHING = 1;
    private static final int SAID_RETIRING = 2;
    private static final int SAID_RETIRED = 3;
    private static final int FREED = 4;
    /** Whether the end sends over the link. */
    private static final int OUT = 5;
    /** Whether it has left the link, and not been followed as far as it has looked. */
    private static final int UNFOLLOWED = 6;
    /** Its states: left, followed. */
    private static final int LEFT = 7;

    private static final int FOLLOWED = 8;
    /** How many bytes it has published. */
    private static final int PUBLISHED = 9;
    /** Whether it has published the place of its switch, and the peer has not followed it from there. */
    private static final int PREFACE = 10;
    /** Whether the byte that says so is in the kernel. */
    private static final int ANNOUNCED = 11;
    /** Whether it reads over the link, and how much it has read. */
    private static final int IN = 12;

    private static final int READ = 13;

    private static final int EACH = 14;
    private static final int BROKEN = 2 * EACH;
    private static final int WORDS = BROKEN + 1;

    /** How often the programs write. */
    private static final int[] ROUNDS = {2, 1};

    enum Mutation {
        NONE,
        /** Writers do not look whether the link is being given back. */
        WRITERS_DO_NOT_LOOK,
        /** Nobody waits for a writer that is just switching. */
        SWITCHING_NOT_AWAITED,
        /** The link is freed before the peer has said that it does not use it. */
        PEER_NOT_AWAITED,
        /** An end says that it no longer uses the link before the peer has followed. */
        RETIRED_UNFOLLOWED,
        /** An end does not look whether the peer has come to the link where its program has not read. */
        AHEAD_NOT_LOOKED_AT
    }

    @Test
    void theLinkIsFreedAtBothEndsAndNoByteIsLost() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsItIsNot(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {
            writer(0, mutation),
            writer(EACH, mutation),
            reader(0),
            reader(EACH),
            retirement(0, mutation),
            retirement(EACH, mutation),
            new Program().act("break", RetirementModelTest::mayBreak, m -> m.word(BROKEN, 1))
        };
        // Another mechanism handles links that break before that.
        Explorer explorer =
                new Explorer(m -> m.word(BROKEN) == 1 || (m.word(FREED) == 1 && m.word(EACH + FREED) == 1), programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 1000);
    }

    private static boolean mayBreak(Memory m) {
        return m.word(SAID_RETIRED) == 1 || m.word(EACH + SAID_RETIRED) == 1;
    }

    private static int peerOf(int end) {
        return EACH - end;
    }

    private static void publish(Memory m, int end) {
        if (m.word(end + FREED) == 1) {
            throw new Program.Violation("wrote to a link that is freed");
        }
        m.word(end + PUBLISHED, m.word(end + PUBLISHED) + 1);
    }

    /** Outgoing.enter and LinkWriter.write. */
    private static Program writer(int end, Mutation mutation) {
        Program writer = new Program();
        for (int round = 0; round < ROUNDS[end / EACH]; round++) {
            String link = "link" + round;
            String done = "done" + round;
            String kernel = "kernel" + round;
            String come = "come" + round;
            writer.load("over the link?", end + OUT)
                    .jumpIf(a -> a == 1, link)
                    .act("begin to switch", m -> true, m -> m.word(end + SWITCHING, 1));
            if (mutation != Mutation.WRITERS_DO_NOT_LOOK) {
                writer.load("retiring?", end + RETIRING).jumpIf(a -> a == 1, kernel);
            }
            writer.load("left before?", end + UNFOLLOWED)
                    .jumpIf(a -> a == 0, come)
                    .load("followed?", end + FOLLOWED)
                    .jumpIf(a -> a == 0, kernel)
                    .label(come)
                    .act("switch, and publish", m -> m.word(end + ANNOUNCED) == 0, m -> {
                        publish(m, end);
                        m.word(end + UNFOLLOWED, 0);
                        m.word(end + FOLLOWED, 0);
                        m.word(end + PREFACE, 1);
                        m.word(end + ANNOUNCED, 1);
                        m.word(end + OUT, 1);
                        m.word(end + SWITCHING, 0);
                    })
                    .jump(done)
                    .label(link)
                    .act("publish, unless it has moved", m -> true, m -> {
                        if (m.word(end + OUT) == 1) {
                            publish(m, end);
                        }
                    })
                    .jump(done)
                    .label(kernel)
                    .act("write to the kernel", m -> true, m -> m.word(end + SWITCHING, 0))
                    .label(done);
        }
        return writer;
    }

    /** Incoming.took, LinkReader.read, Incoming.follow. */
    private static Program reader(int end) {
        int peer = peerOf(end);
        return new Program()
                .label("next")
                .act(
                        "read on",
                        m -> m.word(end + IN) == 1
                                ? m.word(end + READ) < m.word(peer + PUBLISHED) || m.word(peer + LEFT) == 1
                                : m.word(peer + ANNOUNCED) == 1,
                        m -> readOn(m, end, peer))
                .jump("next");
    }

    private static void readOn(Memory m, int end, int peer) {
        if (m.word(end + FREED) == 1) {
            throw new Program.Violation("read from a link that is freed");
        }
        if (m.word(end + IN) == 0) {
            m.word(peer + ANNOUNCED, 0);
            m.word(end + IN, 1);
        } else if (m.word(end + READ) < m.word(peer + PUBLISHED)) {
            m.word(end + READ, m.word(end + READ) + 1);
        } else {
            m.word(peer + LEFT, 0);
            m.word(peer + PREFACE, 0);
            m.word(end + IN, 0);
            m.word(peer + FOLLOWED, 1);
        }
    }

    private static Program retirement(int end, Mutation mutation) {
        int peer = peerOf(end);
        Program retirement = new Program() // either end may find it idle, or both at once
                .act("begin", m -> true, m -> m.word(end + RETIRING, 1));
        if (mutation != Mutation.SWITCHING_NOT_AWAITED) {
            retirement.await("is nobody switching?", m -> m.word(end + SWITCHING) == 0);
        }
        retirement
                .act("say RETIRING", m -> true, m -> m.word(end + SAID_RETIRING, 1))
                .await("does the peer, too?", m -> m.word(peer + SAID_RETIRING) == 1)
                .label("leave")
                .act("leave for the writer", m -> true, m -> {
                    if (m.word(end + OUT) == 1) {
                        m.word(end + LEFT, 1);
                        m.word(end + UNFOLLOWED, 1);
                        m.word(end + OUT, 0);
                    }
                })
                .load("reads over the link?", end + IN)
                .jumpIf(a -> a == 1, "leave");
        if (mutation != Mutation.AHEAD_NOT_LOOKED_AT) {
            retirement.load("is the peer ahead?", peer + PREFACE).jumpIf(a -> a == 1, "leave");
        }
        retirement.load("writes over the link?", end + OUT).jumpIf(a -> a == 1, "leave");
        if (mutation != Mutation.RETIRED_UNFOLLOWED) {
            retirement
                    .load("left?", end + UNFOLLOWED)
                    .jumpIf(a -> a == 0, "off")
                    .load("followed?", end + FOLLOWED)
                    .jumpIf(a -> a == 0, "leave")
                    .label("off");
        }
        retirement.act("say RETIRED", m -> true, m -> m.word(end + SAID_RETIRED, 1));
        if (mutation != Mutation.PEER_NOT_AWAITED) {
            retirement.await(
                    "has the peer, or is it broken?", m -> m.word(peer + SAID_RETIRED) == 1 || m.word(BROKEN) == 1);
        }
        return retirement.act("free", m -> true, m -> {
            if (m.word(end + IN) == 1 || m.word(end + OUT) == 1) {
                throw new Program.Violation("freed a link that is in use here");
            }
            if (m.word(end + READ) < m.word(peer + PUBLISHED)) {
                throw new Program.Violation("bytes of the peer's are lost");
            }
            if (m.word(peer + READ) < m.word(end + PUBLISHED)) {
                throw new Program.Violation("bytes may be lost, and the connection goes on");
            }
            if (m.word(BROKEN) == 0 && m.word(peer + SAID_RETIRED) == 0) {
                // The last word, that it was followed, may still be on its way to the peer.
                throw new Program.Violation("the peer finds its link broken");
            }
            if (m.word(peer + OUT) == 1) {
                throw new Program.Violation("the peer goes on to write to it");
            }
            m.word(end + FREED, 1);
        });
    }
}
