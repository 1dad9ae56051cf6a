// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One thread writes and another closes, without waiting for each other, and a peer reads to the end. No write counts as accepted
 * unless the peer gets it, and bytes that the peer had before the close do count.
 */
class CloseModelTest {
    // Shared words.
    private static final int PUBLISHED = 0;
    private static final int ENDS_AT = 1;
    private static final int ENDING = 2;
    private static final int FIN = 3;
    /** The number of writes that the peer knows of. */
    private static final int SEEN = 4;
    /** The number of writes at which it has met the end. */
    private static final int END = 5;
    /** How many count as accepted. */
    private static final int ACCEPTED = 6;

    private static final int WORDS = 7;
    private static final int WRITES = 2;

    enum Mutation {
        NONE,
        /** A writer looks for no close. */
        NOT_ASKED,
        /** A publication has no fence behind it. */
        NO_FENCE_AFTER_PUBLISH,
        /** The close is made known when the peer was told of the end. */
        ENDING_AFTER_FIN,
        /** The published bytes are noted only after the peer was told of the end. */
        NOTED_AFTER_FIN,
        /** They are noted only after the close was made known. */
        NOTED_AFTER_ENDING,
        /** It is not noted. */
        NOT_NOTED,
        /** The peer looks for the end behind the bytes. */
        FIN_READ_LAST
    }

    @Test
    void whatIsAcceptedArrivesAndWhatHadArrivedIsAccepted() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsOneOfBothIsWrong(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {writer(mutation), closer(mutation), peer(mutation)};
        Explorer explorer = new Explorer(
                memory -> memory.word(ACCEPTED) <= memory.word(END) && memory.word(ACCEPTED) >= 1, programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 100);
    }

    /** LinkWriter.write, as often as it is accepted. */
    private static Program writer(Mutation mutation) {
        Program writer = new Program();
        for (int i = 1; i <= WRITES; i++) {
            int cursor = i;
            writer.store("publish", PUBLISHED, cursor);
            if (mutation != Mutation.NO_FENCE_AFTER_PUBLISH) {
                writer.fence();
            }
            if (mutation != Mutation.NOT_ASKED) {
                writer.load("ending?", ENDING)
                        .jumpIf(a -> a == 0, "accept " + cursor)
                        .load("where?", ENDS_AT)
                        .jumpIf(at -> at < cursor, "refused");
            }
            writer.label("accept " + cursor).store("accepted", ACCEPTED, cursor);
        }
        return writer.label("refused");
    }

    /** LinkStream.close, of a program that knows that its peer has had the first write. */
    private static Program closer(Mutation mutation) {
        Program closer = new Program().await("the peer's answer", m -> m.word(SEEN) >= 1);
        if (mutation == Mutation.NOTED_AFTER_FIN) {
            closer.update("fin", FIN, old -> 1);
        }
        if (mutation == Mutation.NOTED_AFTER_ENDING) {
            closer.storeVolatile("ending", ENDING, 1);
        }
        if (mutation != Mutation.NOT_NOTED) {
            copy(closer, "note", PUBLISHED, ENDS_AT);
        }
        if (mutation == Mutation.ENDING_AFTER_FIN) {
            closer.update("fin", FIN, old -> 1);
        }
        return closer.storeVolatile("ending", ENDING, 1).update("fin", FIN, old -> 1);
    }

    /** StreamReceiver, which looks for the end first. */
    private static Program peer(Mutation mutation) {
        Program peer = new Program()
                .label("first")
                .load("published?", PUBLISHED)
                .jumpIf(a -> a == 0, "first")
                .storeVolatile("seen", SEEN, 1);
        if (mutation == Mutation.FIN_READ_LAST) {
            copy(peer, "early end", PUBLISHED, END);
            return peer.await("fin", m -> m.word(FIN) == 1);
        }
        peer.await("fin", m -> m.word(FIN) == 1);
        return copy(peer, "end", PUBLISHED, END);
    }

    /** A load, and a store of what it found. */
    private static Program copy(Program program, String name, int from, int to) {
        program.load(name + "?", from);
        for (int i = 0; i <= WRITES; i++) {
            int value = i;
            program.jumpIf(a -> a != value, name + " is not " + value)
                    .store(name, to, value)
                    .jump(name + " is done")
                    .label(name + " is not " + value);
        }
        return program.label(name + " is done");
    }
}
