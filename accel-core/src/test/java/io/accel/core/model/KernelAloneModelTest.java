// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two threads that use a datagram socket, while it is the kernel's alone and after that, and a third that ends that time. No thread may wait in
 * the kernel when it ends, nor use links before the kernel's channel is in non-blocking mode.
 */
class KernelAloneModelTest {
    // Shared words.
    private static final int INSIDE = 0;
    private static final int NON_BLOCKING = 1;
    private static final int WORDS = 2;

    private static final int OVER = -1;
    private static final int ENDING = -2;

    enum Mutation {
        NONE,
        /** A thread looks at the count, and enters without changing it. */
        NOT_COUNTED,
        /** The time ends although threads are inside. */
        NO_LOOK,
        /** It is over before the channel's mode has changed. */
        OVER_TOO_EARLY,
        /** A thread that comes while the mode is being changed does not wait for that. */
        NO_WAIT
    }

    @Test
    void nobodyWaitsInTheKernelWhenTheTimeEnds() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsSomebodyDoes(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {user(mutation), user(mutation), ender(mutation)};
        Explorer[] explorer = new Explorer[1];
        explorer[0] = new Explorer(memory -> explorer[0].areOver(memory), programs);
        return explorer[0].explore(new Memory(WORDS, programs.length, 1), 50);
    }

    /** KernelAlone.enter and leave, twice. */
    private static Program user(Mutation mutation) {
        Program user = new Program();
        for (int i = 0; i < 2; i++) {
            String again = "enter " + i;
            String links = "links " + i;
            String next = "next " + i;
            user.label(again).load("how many?", INSIDE).jumpIf(a -> a == OVER, links);
            if (mutation == Mutation.NO_WAIT) {
                user.jumpIf(a -> a == ENDING, links);
            }
            user.jumpIf(a -> a == ENDING, again);
            if (mutation == Mutation.NOT_COUNTED) {
                user.jump("inside " + i);
            }
            user.jumpIf(a -> a == 1, "one more " + i)
                    .compareAndSet("enter as the first", INSIDE, 0, 1)
                    .jumpIf(a -> a == 0, again)
                    .jump("inside " + i)
                    .label("one more " + i)
                    .compareAndSet("enter as the second", INSIDE, 1, 2)
                    .jumpIf(a -> a == 0, again)
                    .label("inside " + i)
                    .check("the mode has changed before", m -> m.word(NON_BLOCKING) == 0)
                    .check("the mode has changed meanwhile", m -> m.word(NON_BLOCKING) == 0);
            if (mutation != Mutation.NOT_COUNTED) {
                user.update("leave", INSIDE, old -> old - 1);
            }
            user.jump(next)
                    .label(links)
                    .check("a receive would wait in the kernel", m -> m.word(NON_BLOCKING) == 1)
                    .label(next);
        }
        return user;
    }

    /** KernelAlone.end. */
    private static Program ender(Mutation mutation) {
        Program ender = new Program();
        if (mutation == Mutation.NO_LOOK) {
            ender.update("end", INSIDE, old -> ENDING);
        } else {
            ender.compareAndSet("end", INSIDE, 0, ENDING).jumpIf(a -> a == 0, "not now");
        }
        if (mutation == Mutation.OVER_TOO_EARLY) {
            ender.update("over", INSIDE, old -> OVER);
        }
        ender.act("change the mode", m -> true, m -> m.word(NON_BLOCKING, 1));
        if (mutation != Mutation.OVER_TOO_EARLY) {
            ender.storeVolatile("over", INSIDE, OVER);
        }
        return ender.label("not now");
    }
}
