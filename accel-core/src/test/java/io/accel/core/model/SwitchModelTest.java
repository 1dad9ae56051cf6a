// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One direction of a stream that moves from the kernel's connection to a link while it is written and read, at whichever byte:
 * {@link io.accel.core.socket.Outgoing}, {@link io.accel.core.socket.Incoming}, and the handshake that gives both the link.
 * System calls are full fences; the words in the link are plain stores.
 */
class SwitchModelTest {
    /** The number of bytes that the program writes. */
    private static final int TOTAL = 3;

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

    private static final int WORDS = 7;

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
        USED_BEFORE_THE_RECEIVER_HAS_IT
    }

    @Test
    void everyByteArrivesOnceWhereverTheDirectionSwitches() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsBytesAreLostOrMadeUp(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {sender(mutation), receiver(mutation), handshake(mutation)};
        Explorer explorer = new Explorer(memory -> memory.word(GOT) == TOTAL, programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 100);
    }

    /** The receiver attaches before it answers, the sender when it has the answer. */
    private static Program handshake(Mutation mutation) {
        boolean early = mutation == Mutation.USED_BEFORE_THE_RECEIVER_HAS_IT;
        return new Program()
                .storeVolatile("one has it", early ? SENDER_MAY : RECEIVER_HAS_IT, 1)
                .storeVolatile("so has the other", early ? RECEIVER_HAS_IT : SENDER_MAY, 1);
    }

    /** Outgoing.enter, gave; LinkWriter.switchAt, write, announce. */
    private static Program sender(Mutation mutation) {
        Program sender = new Program();
        for (int i = 0; i < TOTAL; i++) {
            sender.load("may it switch?", SENDER_MAY).jumpIf(a -> a != 0, "switch at " + i);
            sender.update("(the next byte is the program's)", RAW, old -> old + 1)
                    .update("write to the kernel", WIRE, old -> old + 1);
        }
        sender.jump("done");
        for (int i = 0; i < TOTAL; i++) {
            sender.label("switch at " + i);
            if (mutation == Mutation.ANNOUNCED_BEFORE_IT_IS_SAID) {
                sender.update("announce", WIRE, old -> old + 1);
            }
            sender.store("say where", PREFACE, i + 1).store("publish", RING, 1);
            if (mutation != Mutation.ANNOUNCED_BEFORE_IT_IS_SAID && mutation != Mutation.NOT_ANNOUNCED) {
                sender.update("announce", WIRE, old -> old + 1);
            }
            for (int more = 2; more <= TOTAL - i; more++) {
                sender.store("publish more", RING, more);
            }
            sender.jump("done");
        }
        return sender.label("done");
    }

    /** Incoming.enter, took; then LinkReader.read, whose waiting is another model's. */
    private static Program receiver(Mutation mutation) {
        Program receiver = new Program();
        for (int read = 1; read <= TOTAL + 1; read++) {
            int count = read;
            if (mutation == Mutation.LOOK_BEFORE_READ) {
                look(receiver, "before", count, a -> a != 0 && a - 1 < count);
            }
            receiver.await("read from the kernel", m -> m.word(WIRE) >= count);
            boolean looks = mutation != Mutation.LOOK_BEFORE_READ && mutation != Mutation.ANNOUNCEMENT_KEPT;
            if (looks) {
                look(receiver, "announcement", count, a -> a != 0 && a - 1 < count);
            }
            receiver.check("the announcement was given to the program", m -> m.word(RAW) >= count)
                    .update("give it to the program", GOT, old -> old + 1)
                    .load("all?", GOT)
                    .jumpIf(a -> a == TOTAL, "done");
            if (looks) {
                look(receiver, "reached", count, a -> a - 1 == count);
            }
        }
        receiver.label("link")
                .await("wait for the link", m -> m.word(RING) > m.word(GOT) - (m.word(PREFACE) - 1))
                .update("give it to the program", GOT, old -> old + 1)
                .load("all?", GOT)
                .jumpIf(a -> a != TOTAL, "link");
        return receiver.label("done");
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
