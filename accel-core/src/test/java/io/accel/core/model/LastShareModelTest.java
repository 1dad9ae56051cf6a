// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stream's half: two threads that read one after the other, one that only asks something, and one that closes. The last share frees the link exactly
 * once, and never while somebody is inside.
 */
class LastShareModelTest {
    // Shared words.
    private static final int LOCK = 0;
    private static final int CLOSED = 1;
    private static final int RELEASED = 2;
    private static final int USERS = 3;
    private static final int FREED = 4;
    private static final int WORDS = 5;

    /** The half and the closer. */
    private static final int SHARES = 2;

    enum Mutation {
        NONE,
        /** A reader does not look whether the stream is closed once it has the lock. */
        NO_LOOK_UNDER_LOCK,
        /** It looks before it takes the lock. */
        LOOK_BEFORE_LOCK,
        /** It does not look when it has unlocked. */
        NO_LOOK_AFTER_UNLOCK,
        /** It looks while it still has the lock. */
        LOOK_BEFORE_UNLOCK,
        /** It unlocks without a fence, as a release store would. */
        NO_FENCE_AFTER_UNLOCK,
        /** The closer gives the half's share back without its lock. */
        CLOSER_WITHOUT_LOCK,
        /** The thread that gives the share back does not note it. */
        SHARE_NOT_NOTED,
        /** A thread that only asks takes a share although none is left. */
        PIN_WHAT_IS_FREED
    }

    @Test
    void freedOnceAndNeverInUse() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsItLeaksOrIsUsedAfterwards(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {reader(mutation), reader(mutation), asker(mutation), closer(mutation)};
        Explorer explorer = new Explorer(memory -> memory.word(FREED) == 1, programs);
        Memory start = new Memory(WORDS, programs.length, 1);
        start.word(USERS, SHARES);
        return explorer.explore(start, 100);
    }

    /** LinkReader.lock, read, unlock. */
    private static Program reader(Mutation mutation) {
        Program reader = new Program();
        if (mutation == Mutation.LOOK_BEFORE_LOCK) {
            reader.load("closed?", CLOSED).jumpIf(a -> a != 0, "done");
        }
        reader.label("lock").compareAndSet("lock", LOCK, 0, 1).jumpIf(a -> a == 0, "lock");
        if (mutation != Mutation.NO_LOOK_UNDER_LOCK && mutation != Mutation.LOOK_BEFORE_LOCK) {
            reader.load("closed?", CLOSED).jumpIf(a -> a != 0, "unlock");
        }
        reader.check("used after it was freed", m -> m.word(FREED) == 0)
                .check("used after it was freed, too", m -> m.word(FREED) == 0)
                .label("unlock");
        if (mutation == Mutation.LOOK_BEFORE_UNLOCK) {
            reader.load("closed before unlock?", CLOSED)
                    .store("unlock", LOCK, 0)
                    .fence();
        } else {
            reader.store("unlock", LOCK, 0);
            if (mutation != Mutation.NO_FENCE_AFTER_UNLOCK) {
                reader.fence();
            }
            if (mutation == Mutation.NO_LOOK_AFTER_UNLOCK) {
                reader.jump("done");
            }
            reader.load("closed now?", CLOSED);
        }
        reader.jumpIf(a -> a == 0, "done");
        releaseHalf(reader, mutation);
        return reader.label("done");
    }

    /** LinkReader.available: takes a share for a moment. */
    private static Program asker(Mutation mutation) {
        Program asker = new Program();
        if (mutation == Mutation.PIN_WHAT_IS_FREED) {
            asker.update("pin", USERS, old -> old + 1);
        } else {
            asker.update("pin", USERS, old -> old == 0 ? 0 : old + 1).jumpIf(old -> old == 0, "done");
        }
        asker.check("asked after it was freed", m -> m.word(FREED) == 0);
        release(asker, "pinned");
        return asker.label("done");
    }

    /** LinkStream.close. */
    private static Program closer(Mutation mutation) {
        Program closer = new Program()
                .compareAndSet("close", CLOSED, 0, 1)
                .check("signalled after it was freed", m -> m.word(FREED) == 0);
        if (mutation == Mutation.CLOSER_WITHOUT_LOCK) {
            release(closer, "half");
        } else {
            releaseHalf(closer, mutation);
        }
        closer.label("own share");
        release(closer, "own");
        return closer;
    }

    private static void releaseHalf(Program program, Mutation mutation) {
        program.compareAndSet("tryLock", LOCK, 0, 1).jumpIf(a -> a == 0, "not ours");
        program.load("released?", RELEASED).jumpIf(a -> a != 0, "released already");
        if (mutation != Mutation.SHARE_NOT_NOTED) {
            program.store("released", RELEASED, 1);
        }
        program.storeVolatile("unlock again", LOCK, 0);
        release(program, "half");
        program.jump("not ours")
                .label("released already")
                .storeVolatile("unlock for nothing", LOCK, 0)
                .label("not ours");
    }

    private static void release(Program program, String which) {
        program.update("give back: " + which, USERS, old -> old - 1)
                .jumpIf(before -> before != 1, which + " given back")
                .check("freed twice", m -> m.word(FREED) == 0)
                .update("free", FREED, old -> old + 1)
                .label(which + " given back");
    }
}
