// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One direction of a stream that moves from the kernel's connection to a link while it is written and read, at whichever byte, and then
 * ends: {@link io.accel.core.socket.Outgoing}, {@link io.accel.core.socket.Incoming}, and the handshake that gives both the link.
 * System calls are full fences; the words in the link are plain stores.
 */
class SwitchModelTest {
    /** The most bytes that the program writes. */
    private static final int MOST = 3;

    /** Bytes written to the kernel, announcements included. */
    private static final int WIRE = 0;
    /** The program's own bytes among them. */
    private static final int RAW = 1;
    /** In the link: how many bytes went through the kernel, plus 1; 0 as long as it does not say. */
    private static final int PREFACE = 2;
    /** In the link: how many bytes are published. */
    private static final int RING = 3;
    /** The bytes that the reading program was given. */
    private static final int GOT = 4;
    /** The receiver's process has the link. */
    private static final int RECEIVER_HAS_IT = 5;
    /** The sender's process has the link, and knows that the receiver's has. */
    private static final int SENDER_MAY = 6;
    /** The kernel's connection has ended behind the bytes written to it. */
    private static final int WIRE_END = 7;
    /** In the link: nothing follows what is published. */
    private static final int FIN = 8;
    /** The reading program has met the end. */
    private static final int ENDED = 9;

    /** Another thread is asked to announce the switch, as soon as what the link says has arrived. */
    private static final int ASKED = 10;

    private static final int WORDS = 11;

    /** Who announces the switch. */
    enum By {
        WRITER,
        /** A writer does not wait until what the link says has arrived, or the kernel has room. */
        ANOTHER_THREAD
    }

    /** What a writer does that has come to the link. */
    enum First {
        /** Its bytes are published. */
        WRITES,
        /** Its write fails, or has nothing to write; the next one writes. */
        FAILS
    }

    /** How the output ends. */
    enum Last {
        /** Behind the last byte, on the path of that byte. */
        BEHIND_BYTES,
        /** Behind a write that came to the link and then had no byte, or failed. */
        BEHIND_NOTHING,
        /** By another thread, between the switch and the first write, which is refused then. */
        BEFORE_FIRST_WRITE,
        /** As before, by a close, which announces nothing and ends both paths. */
        CLOSED_BEFORE_FIRST_WRITE
    }

    enum Mutation {
        NONE,
        /** The byte over the anchor goes out before the link says where the switch is. */
        ANNOUNCED_BEFORE_IT_IS_SAID,
        /** Nothing goes over the anchor. */
        NOT_ANNOUNCED,
        /** The receiver looks for the switch before it reads from the kernel, and not after. */
        LOOK_BEFORE_READ,
        /** The receiver does not take the announcement away. */
        ANNOUNCEMENT_KEPT,
        /** The sender uses the link as soon as it has it itself. */
        USED_BEFORE_THE_RECEIVER_HAS_IT,
        /** Only bytes are announced: not a switch with nothing behind it. */
        NOTHING_NOT_ANNOUNCED,
        /** A switch that has no byte yet is announced by the next write alone, and not by the end. */
        END_NOT_ANNOUNCED
    }

    @Test
    void everyByteArrivesOnceWhereverTheDirectionSwitches() {
        assertThat(explore(Mutation.NONE, By.WRITER)).isEmpty();
    }

    @Test
    void theAnnouncementMayComeAnyTimeLater() {
        assertThat(explore(Mutation.NONE, By.ANOTHER_THREAD)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"ANNOUNCED_BEFORE_IT_IS_SAID", "NOT_ANNOUNCED", "END_NOT_ANNOUNCED"})
    void theOneThatComesLaterMayComeNeitherTooEarlyNorNever(Mutation mutation) {
        assertThat(explore(mutation, By.ANOTHER_THREAD)).isPresent();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsBytesAreLostOrMadeUp(Mutation mutation) {
        assertThat(explore(mutation, By.WRITER)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation, By by) {
        for (First first : First.values()) {
            for (Last last : Last.values()) {
                for (int total = 0; total <= MOST; total++) {
                    Optional<List<String>> failure = explore(mutation, by, first, last, total);
                    if (failure.isPresent()) {
                        return failure;
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<List<String>> explore(Mutation mutation, By by, First first, Last last, int total) {
        Program[] programs = {
            sender(mutation, by, first, last, total), receiver(mutation), handshake(mutation), announcer(mutation)
        };
        Explorer explorer = new Explorer(memory -> memory.word(GOT) == total && memory.word(ENDED) == 1, programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 20);
    }

    /** The receiver attaches before it answers, the sender when it has the answer. */
    private static Program handshake(Mutation mutation) {
        boolean early = mutation == Mutation.USED_BEFORE_THE_RECEIVER_HAS_IT;
        return new Program()
                .storeVolatile("one has it", early ? SENDER_MAY : RECEIVER_HAS_IT, 1)
                .storeVolatile("so has the other", early ? RECEIVER_HAS_IT : SENDER_MAY, 1);
    }

    /** Announcement.makeLater, which looks whether what the link says has arrived. */
    private static Program announcer(Mutation mutation) {
        boolean early = mutation == Mutation.ANNOUNCED_BEFORE_IT_IS_SAID;
        return new Program()
                .await("asked, and arrived", m -> m.word(ASKED) != 0 && (early || m.word(PREFACE) != 0))
                .update("announce later", WIRE, old -> old + 1);
    }

    /** Outgoing.enter, gave; LinkWriter.switchAt, write, announce, unlock, shutdown. */
    private static Program sender(Mutation mutation, By by, First first, Last last, int total) {
        Program sender = new Program();
        for (int i = 0; i < total; i++) {
            sender.load("may it switch?", SENDER_MAY).jumpIf(a -> a != 0, "switch at " + i);
            sender.update("(the next byte is the program's)", RAW, old -> old + 1)
                    .update("write to the kernel", WIRE, old -> old + 1);
        }
        if (last != Last.BEHIND_BYTES) {
            sender.load("may it switch?", SENDER_MAY).jumpIf(a -> a != 0, "switch at " + total);
        }
        sender.update("end the kernel's output", WIRE_END, old -> 1).jump("done");
        for (int i = 0; i < total; i++) {
            sender.label("switch at " + i);
            boolean early = mutation == Mutation.ANNOUNCED_BEFORE_IT_IS_SAID;
            boolean says = mutation != Mutation.NOT_ANNOUNCED && !early;
            if (early) {
                announce(sender, by);
            }
            sender.store("say where", PREFACE, i + 1);
            boolean fails = first == First.FAILS && mutation != Mutation.NOTHING_NOT_ANNOUNCED;
            if (fails && says) {
                announce(sender, by);
            }
            sender.store("publish", RING, 1);
            if (!fails && says) {
                announce(sender, by);
            }
            for (int more = 2; more <= total - i; more++) {
                sender.store("publish more", RING, more);
            }
            sender.store("end", FIN, 1).jump("done");
        }
        endWithoutBytes(sender, mutation, by, last, total);
        return sender.label("done");
    }

    private static void endWithoutBytes(Program sender, Mutation mutation, By by, Last last, int total) {
        sender.label("switch at " + total).store("say where", PREFACE, total + 1);
        boolean isTold = mutation != Mutation.NOTHING_NOT_ANNOUNCED && mutation != Mutation.NOT_ANNOUNCED;
        if (last == Last.BEHIND_NOTHING && isTold && mutation != Mutation.END_NOT_ANNOUNCED) {
            announce(sender, by);
        }
        sender.store("end", FIN, 1);
        if (last == Last.BEFORE_FIRST_WRITE && isTold && mutation != Mutation.END_NOT_ANNOUNCED) {
            announce(sender, by);
        }
        if (last == Last.CLOSED_BEFORE_FIRST_WRITE) {
            sender.update("close the kernel's connection", WIRE_END, old -> 1);
        }
    }

    private static void announce(Program sender, By by) {
        Program unused = by == By.WRITER
                ? sender.update("announce", WIRE, old -> old + 1)
                : sender.storeVolatile("have it announced", ASKED, 1);
    }

    /** Incoming.enter, took; then LinkReader.read, whose waiting is another model's. */
    private static Program receiver(Mutation mutation) {
        Program receiver = new Program();
        for (int read = 1; read <= MOST + 1; read++) {
            int count = read;
            if (mutation == Mutation.LOOK_BEFORE_READ) {
                look(receiver, "before", count, a -> a != 0 && a - 1 < count);
            }
            receiver.await("read from the kernel", m -> m.word(WIRE) >= count || m.word(WIRE_END) == 1)
                    .update("(is it a byte?)", WIRE, old -> old)
                    .jumpIf(a -> a < count, "end behind " + (count - 1));
            boolean looks = mutation != Mutation.LOOK_BEFORE_READ && mutation != Mutation.ANNOUNCEMENT_KEPT;
            if (looks) {
                look(receiver, "announcement", count, a -> a != 0 && a - 1 < count);
            }
            receiver.check("the announcement was given to the program", m -> m.word(RAW) >= count)
                    .update("give it to the program", GOT, old -> old + 1);
            if (looks) {
                look(receiver, "reached", count, a -> a - 1 == count);
            }
        }
        receiver.jump("done");
        for (int i = 0; i <= MOST; i++) {
            int count = i;
            receiver.label("end behind " + count);
            look(receiver, "end", count, a -> a - 1 == count);
            receiver.update("give the end to the program", ENDED, old -> 1).jump("done");
        }
        receiver.label("link")
                .act("read from the link", m -> hasBytes(m) || m.word(FIN) == 1, m -> {
                    int word = hasBytes(m) ? GOT : ENDED;
                    m.word(word, m.word(word) + 1);
                })
                .load("the end?", ENDED)
                .jumpIf(a -> a == 0, "link");
        return receiver.label("done");
    }

    private static boolean hasBytes(Memory memory) {
        return memory.word(RING) > memory.word(GOT) - (memory.word(PREFACE) - 1);
    }

    private static void look(Program receiver, String when, int count, java.util.function.IntPredicate switched) {
        String on = when + " " + count;
        receiver.load("has it the link?", RECEIVER_HAS_IT)
                .jumpIf(a -> a == 0, on)
                .load("where is the switch?", PREFACE)
                .jumpIf(switched, "link")
                .label(on);
    }
}
