// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The pipe that wakes a poller: threads that leave word and ring, of which only the first writes a byte, and the owner that
 * reads the byte, allows the next one, and looks for the word. The owner never sleeps while there is word for it.
 */
class WakePipeModelTest {
    // Shared words.
    private static final int WORD = 0;
    private static final int ASLEEP = 1;
    private static final int RUNG = 2;
    private static final int PIPE = 3;
    private static final int WORDS = 4;

    private static final int ALL_WORD = 3;

    enum Mutation {
        NONE,
        /** A thread leaves its word after it has rung. */
        RING_BEFORE_WORD,
        /** The owner allows the next byte before it reads, and may read that one, too. */
        CLEAR_BEFORE_DRAIN,
        /** It looks for word first, and allows the next byte then. */
        CLEAR_AFTER_LOOK,
        /** It allows no other byte. */
        NO_CLEAR,
        /** It looks for word before it says that it sleeps. */
        LOOK_BEFORE_ASLEEP
    }

    @Test
    void theOwnerIsAlwaysWoken() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsItCanSleepOn(Mutation mutation) {
        Optional<List<String>> failure = explore(mutation);
        assertThat(failure).isPresent();
        assertThat(failure.orElseThrow()).last().asString().startsWith("STUCK");
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program twice = new Program();
        leaveWord(twice, mutation, "first");
        leaveWord(twice, mutation, "second");
        Program once = new Program();
        leaveWord(once, mutation, "other");
        Program[] programs = {twice, once, owner(mutation)};
        Explorer[] explorer = new Explorer[1];
        explorer[0] = new Explorer(memory -> explorer[0].areOver(memory), programs);
        return explorer[0].explore(new Memory(WORDS, programs.length, 1), 100);
    }

    /** Turn.push, Poller.wakeForCommands and WakePipe.ring. */
    private static void leaveWord(Program thread, Mutation mutation, String name) {
        if (mutation != Mutation.RING_BEFORE_WORD) {
            thread.update("leave word, " + name, WORD, old -> old + 1);
        }
        thread.load("asleep? " + name, ASLEEP)
                .jumpIf(asleep -> asleep == 0, name + " rung")
                .compareAndSet("rung? " + name, RUNG, 0, 1)
                .jumpIf(done -> done == 0, name + " rung")
                .update("write, " + name, PIPE, bytes -> bytes + 1)
                .label(name + " rung");
        if (mutation == Mutation.RING_BEFORE_WORD) {
            thread.update("leave word, " + name, WORD, old -> old + 1);
        }
    }

    /** Poller.await with Turn.fallAsleep and KernelWatch.select, until all word was found. */
    private static Program owner(Mutation mutation) {
        Program owner = new Program().label("again");
        if (mutation == Mutation.LOOK_BEFORE_ASLEEP) {
            owner.load("word?", WORD).jumpIf(word -> word == ALL_WORD, "done").storeVolatile("asleep", ASLEEP, 1);
        } else {
            owner.storeVolatile("asleep", ASLEEP, 1).load("word?", WORD).jumpIf(word -> word == ALL_WORD, "done");
        }
        owner.await("sleep", memory -> memory.word(PIPE) != 0);
        if (mutation == Mutation.CLEAR_BEFORE_DRAIN) {
            owner.storeVolatile("clear", RUNG, 0).update("drain", PIPE, bytes -> 0);
        } else {
            owner.update("drain", PIPE, bytes -> 0);
            if (mutation != Mutation.NO_CLEAR && mutation != Mutation.CLEAR_AFTER_LOOK) {
                owner.storeVolatile("clear", RUNG, 0);
            }
        }
        owner.storeVolatile("awake", ASLEEP, 0);
        if (mutation == Mutation.CLEAR_AFTER_LOOK) {
            // As if the pipe were read again only before the next sleep, after the look that precedes it.
            owner.storeVolatile("asleep already", ASLEEP, 1)
                    .load("word, once?", WORD)
                    .jumpIf(word -> word == ALL_WORD, "done")
                    .storeVolatile("clear", RUNG, 0)
                    .label("asleep on")
                    .await("sleep on", memory -> memory.word(PIPE) != 0)
                    .update("drain again", PIPE, bytes -> 0);
        }
        return owner.jump("again").label("done");
    }
}
