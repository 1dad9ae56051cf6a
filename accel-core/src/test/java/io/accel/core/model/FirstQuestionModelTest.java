// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A connection that is accepted while its client asks for a link, as the first client of all. Nothing is entered for connections before that, and
 * the client must get its answer all the same, whichever thread comes first.
 */
class FirstQuestionModelTest {
    // Shared words.
    /** The connection is among all connections, which have a lock. */
    private static final int LISTED = 0;

    private static final int ASKED = 1;
    /** It can be found by its addresses. */
    private static final int ENTERED = 2;

    private static final int WAITING = 3;
    private static final int ANSWERED = 4;
    private static final int WORDS = 5;

    enum Mutation {
        NONE,
        /** The accepting thread looks whether anybody asks before the connection is listed. */
        LOOK_BEFORE_LISTED,
        /** The client looks at all connections before it says that it asks. */
        LIST_BEFORE_ASKED,
        /** The accepting thread enters the connection, and does not look for a client. */
        NO_LOOK_FOR_CLIENT,
        /** The client begins to wait, and does not look once more. */
        NO_LOOK_ONCE_MORE,
        /** The client says that it asks without a fence. */
        NO_FENCE
    }

    @Test
    void theClientIsAnswered() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsItMayNotBe(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {accepting(mutation), asking(mutation)};
        Explorer explorer = new Explorer(memory -> memory.word(ANSWERED) == 1, programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 10);
    }

    /** StreamHandover.accepted and enter. */
    private static Program accepting(Mutation mutation) {
        Program accepting = new Program();
        if (mutation == Mutation.LOOK_BEFORE_LISTED) {
            accepting
                    .load("asked?", ASKED)
                    .jumpIf(a -> a != 0, "list and enter")
                    .update("list", LISTED, old -> 1)
                    .jump("done")
                    .label("list and enter")
                    .update("list", LISTED, old -> 1);
        } else {
            accepting.update("list", LISTED, old -> 1).load("asked?", ASKED).jumpIf(a -> a == 0, "done");
        }
        accepting.update("enter", ENTERED, old -> 1);
        if (mutation != Mutation.NO_LOOK_FOR_CLIENT) {
            answerWaiting(accepting, "a client");
        }
        return accepting.label("done");
    }

    /** AcceptedStreams.beginAsking, and StreamListener's reserve. */
    private static Program asking(Mutation mutation) {
        Program asking = new Program();
        if (mutation == Mutation.LIST_BEFORE_ASKED) {
            listed(asking);
            asking.storeVolatile("ask", ASKED, 1);
        } else if (mutation == Mutation.NO_FENCE) {
            asking.store("ask", ASKED, 1);
            listed(asking);
        } else {
            asking.storeVolatile("ask", ASKED, 1);
            listed(asking);
        }
        asking.load("there?", ENTERED).jumpIf(a -> a != 0, "answer").update("wait", WAITING, old -> 1);
        if (mutation == Mutation.NO_LOOK_ONCE_MORE) {
            return asking.jump("done")
                    .label("answer")
                    .update("answer", ANSWERED, old -> 1)
                    .label("done");
        }
        asking.load("there now?", ENTERED).jumpIf(a -> a == 0, "done");
        answerWaiting(asking, "itself");
        return asking.jump("done")
                .label("answer")
                .update("answer", ANSWERED, old -> 1)
                .label("done");
    }

    /** The look at all connections enters the one that is listed. A look is a load under a lock, which without a fence comes before the store. */
    private static void listed(Program asking) {
        asking.load("listed?", LISTED)
                .jumpIf(a -> a == 0, "not listed")
                .update("enter it", ENTERED, old -> 1)
                .label("not listed");
    }

    private static void answerWaiting(Program program, String whom) {
        program.compareAndSet("answer " + whom, WAITING, 1, 0)
                .jumpIf(a -> a == 0, "nobody waits for " + whom)
                .update("answered " + whom, ANSWERED, old -> 1)
                .label("nobody waits for " + whom);
    }
}
