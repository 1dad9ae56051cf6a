// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The sleepers word of a shared-memory link: arm, look once more, sleep; publish, fence, look for sleepers, ring. No thread
 * may sleep when the bytes that it waits for have come.
 */
class SleepAndWakeModelTest {
    private static final int DATA = 1;
    private static final int SPACE = 2;

    // Shared words.
    private static final int PRODUCED = 0;
    private static final int CREDIT = 1;
    private static final int SLEEPERS = 2;
    private static final int BELL = 3;
    /** Whether the reader's and the writer's poller were told to look, whatever the bell says. */
    private static final int TOLD_READER = 4;

    private static final int TOLD_WRITER = 5;
    private static final int WORDS = 6;

    /** The step that is left out. */
    enum Mutation {
        NONE,
        /** The peer looks for sleepers without a fence behind its publish. */
        NO_FENCE_AFTER_PUBLISH,
        /** The sleeper's arming is a plain store. */
        NO_FENCE_AFTER_ARM,
        /** The sleeper does not look once more. */
        NO_SECOND_LOOK,
        /** The sleeper looks once more, and arms after that. */
        ARM_AFTER_LOOK,
        /** The peer looks for sleepers before it publishes. */
        LOOK_BEFORE_PUBLISH
    }

    @Test
    void oneSleeperIsAlwaysWoken() {
        assertThat(oneSleeper(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfItsStepsASleeperCanMissThePublish(Mutation mutation) {
        Optional<List<String>> failure = oneSleeper(mutation);
        assertThat(failure).isPresent();
        assertThat(failure.orElseThrow()).last().asString().startsWith("STUCK");
    }

    @Test
    void aReaderAndAWriterShareTheDoorbell() {
        assertThat(twoSleepers(true)).isEmpty();
    }

    /** The thread that rings takes both armings, and the thread that drains the bell takes it from the other. */
    @Test
    void unlessTheRingIsPassedOnOneOfThemCanMissIt() {
        Optional<List<String>> failure = twoSleepers(false);
        assertThat(failure).isPresent();
        assertThat(failure.orElseThrow()).last().asString().startsWith("STUCK");
    }

    private static Optional<List<String>> oneSleeper(Mutation mutation) {
        // Two publishes, so that the second meets a sleeper that the first has woken.
        Program peer = new Program();
        publish(peer, mutation, PRODUCED, 1, DATA, "first");
        publish(peer, mutation, PRODUCED, 2, DATA, "second");
        Program sleeper = sleeper(mutation, PRODUCED, 2, DATA, TOLD_READER, TOLD_WRITER, false);
        return explore(peer, sleeper);
    }

    private static Optional<List<String>> twoSleepers(boolean passOn) {
        Program producing = new Program();
        publish(producing, Mutation.NONE, PRODUCED, 1, DATA, "data");
        Program crediting = new Program();
        publish(crediting, Mutation.NONE, CREDIT, 1, SPACE, "space");
        return explore(
                producing,
                crediting,
                sleeper(Mutation.NONE, PRODUCED, 1, DATA, TOLD_READER, TOLD_WRITER, passOn),
                sleeper(Mutation.NONE, CREDIT, 1, SPACE, TOLD_WRITER, TOLD_READER, passOn));
    }

    private static Optional<List<String>> explore(Program... programs) {
        Explorer[] explorer = new Explorer[1];
        explorer[0] = new Explorer(memory -> explorer[0].areOver(memory), programs);
        return explorer[0].explore(new Memory(WORDS, programs.length, 1), 50);
    }

    /** ShmLink.publish, consumed and ring. */
    private static void publish(Program peer, Mutation mutation, int word, int value, int what, String name) {
        if (mutation == Mutation.LOOK_BEFORE_PUBLISH) {
            peer.load("look for sleepers, " + name, SLEEPERS).store("publish " + name, word, value);
        } else {
            peer.store("publish " + name, word, value);
            if (mutation != Mutation.NO_FENCE_AFTER_PUBLISH) {
                peer.fence();
            }
            peer.load("look for sleepers, " + name, SLEEPERS);
        }
        peer.jumpIf(sleepers -> (sleepers & what) == 0, name + " done")
                .update("take the sleepers, " + name, SLEEPERS, old -> 0)
                .jumpIf(sleepers -> sleepers == 0, name + " done")
                .update("ring", BELL, old -> 1)
                .label(name + " done");
    }

    /** The poller's cool and sleep, then LinkStream.doorbellRang. */
    private static Program sleeper(
            Mutation mutation, int word, int wanted, int what, int toldMe, int toldOther, boolean passOn) {
        Program sleeper = new Program().label("look").load("look", word).jumpIf(a -> a == wanted, "done");
        if (mutation == Mutation.ARM_AFTER_LOOK) {
            sleeper.load("look again", word)
                    .jumpIf(a -> a == wanted, "done")
                    .update("arm", SLEEPERS, old -> old | what);
        } else {
            if (mutation == Mutation.NO_FENCE_AFTER_ARM) {
                sleeper.store("arm", SLEEPERS, what);
            } else {
                sleeper.update("arm", SLEEPERS, old -> old | what);
            }
            if (mutation != Mutation.NO_SECOND_LOOK) {
                sleeper.load("look again", word).jumpIf(a -> a == wanted, "done");
            }
        }
        // The kernel's wait does not wait for stores to drain.
        sleeper.await("sleep", m -> m.word(BELL) != 0 || m.word(toldMe) != 0)
                .update("hear", toldMe, old -> 0)
                .update("drain the bell", BELL, old -> 0)
                .jumpIf(rung -> rung == 0 || !passOn, "look")
                .update("pass on", toldOther, old -> 1)
                .jump("look");
        return sleeper.label("done");
    }
}
