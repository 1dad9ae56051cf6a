// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A poller that falls asleep, against threads that leave commands, close and wake it. No command may be left in the stack
 * when all is quiet, whether the poller sleeps, has left, or never came; and a wake-up ends the poll.
 */
class PollerModelTest {
    // Shared words.
    private static final int TURN = 0;
    private static final int COMMANDS = 1;
    private static final int BLOCKED = 2;
    private static final int WAKEUP = 3;
    /** The JDK's selector was woken. */
    private static final int INNER = 4;

    private static final int POLL_OVER = 5;
    private static final int WORDS = 6;

    enum Mutation {
        NONE,
        /** The poller does not look at the commands between saying that it sleeps and sleeping. */
        NO_LOOK_AT_COMMANDS,
        /** Nor at the wake-up flag. */
        NO_LOOK_AT_WAKEUP,
        /** It says that it sleeps without a fence. */
        NO_FENCE_AFTER_BLOCKED,
        /** It looks first and says that it sleeps afterwards. */
        LOOK_BEFORE_BLOCKED,
        /** It does not look at the commands when it has left. */
        NO_LOOK_AFTER_LEAVING,
        /** It looks at the commands, then leaves. */
        LOOK_BEFORE_LEAVING,
        /** The waking thread has no fence between flag and look. */
        NO_FENCE_AFTER_WAKEUP
    }

    @Test
    void noCommandIsLeftAndNoWakeupLost() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsSomethingIsLost(Mutation mutation) {
        Optional<List<String>> failure = explore(mutation);
        assertThat(failure).isPresent();
        assertThat(failure.orElseThrow()).last().asString().startsWith("STUCK");
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        // The poller may sleep for ever only if nobody woke it and no command is left.
        Explorer quiet = new Explorer(
                memory -> memory.word(COMMANDS) == 0, poller(mutation), closer(mutation), closer(mutation));
        Optional<List<String>> failure = quiet.explore(new Memory(WORDS, 3, 1));
        if (failure.isPresent()) {
            return failure;
        }
        Explorer woken = new Explorer(
                memory -> memory.word(COMMANDS) == 0 && memory.word(POLL_OVER) == 1 && memory.word(TURN) == 0,
                poller(mutation),
                closer(mutation),
                waker(mutation));
        failure = woken.explore(new Memory(WORDS, 3, 1));
        assertThat(failure.isPresent() || (quiet.states() > 100 && woken.states() > 100))
                .as("models worth the name")
                .isTrue();
        return failure;
    }

    /** Poller.poll without anything ready: it ends by a wake-up only. */
    private static Program poller(Mutation mutation) {
        Program poller =
                new Program().label("enter").compareAndSet("enter", TURN, 0, 1).jumpIf(a -> a == 0, "enter");
        runCommands(poller, "at first");
        poller.label("sleep");
        if (mutation == Mutation.LOOK_BEFORE_BLOCKED) {
            poller.load("commands?", COMMANDS).jumpIf(a -> a != 0, "awake");
            poller.load("wakeup?", WAKEUP).jumpIf(a -> a != 0, "awake");
        }
        poller.store("blocked", BLOCKED, 1);
        if (mutation != Mutation.NO_FENCE_AFTER_BLOCKED) {
            poller.fence();
        }
        if (mutation != Mutation.LOOK_BEFORE_BLOCKED) {
            if (mutation != Mutation.NO_LOOK_AT_COMMANDS) {
                poller.load("commands?", COMMANDS).jumpIf(a -> a != 0, "awake");
            }
            if (mutation != Mutation.NO_LOOK_AT_WAKEUP) {
                poller.load("wakeup?", WAKEUP).jumpIf(a -> a != 0, "awake");
            }
        }
        poller.await("select", m -> m.word(INNER) != 0)
                .update("selected", INNER, old -> 0)
                .label("awake")
                .storeVolatile("not blocked", BLOCKED, 0);
        runCommands(poller, "awake");
        poller.load("wakeup?", WAKEUP)
                .jumpIf(a -> a == 0, "sleep")
                .storeVolatile("take the wakeup", WAKEUP, 0)
                .storeVolatile("over", POLL_OVER, 1);
        leave(poller, mutation, "poller");
        return poller;
    }

    /** Registration.close: leaves a command, and carries it out if the turn is free. */
    private static Program closer(Mutation mutation) {
        Program closer = new Program()
                .update("push", COMMANDS, old -> old + 1)
                .load("blocked?", BLOCKED)
                .jumpIf(a -> a == 0, "awake")
                .update("wake the selector", INNER, old -> 1)
                .jump("done")
                .label("awake")
                .compareAndSet("take the turn", TURN, 0, 1)
                .jumpIf(a -> a == 0, "done");
        runCommands(closer, "closer");
        leave(closer, mutation, "closer");
        return closer.label("done");
    }

    private static Program waker(Mutation mutation) {
        Program waker = new Program().store("wakeup", WAKEUP, 1);
        if (mutation != Mutation.NO_FENCE_AFTER_WAKEUP) {
            waker.fence();
        }
        return waker.load("blocked?", BLOCKED)
                .jumpIf(a -> a == 0, "done")
                .update("wake the selector", INNER, old -> 1)
                .label("done");
    }

    private static void runCommands(Program program, String where) {
        program.load("commands, " + where, COMMANDS)
                .jumpIf(a -> a == 0, "no commands " + where)
                .update("run commands " + where, COMMANDS, old -> 0)
                .label("no commands " + where);
    }

    private static void leave(Program program, Mutation mutation, String who) {
        if (mutation == Mutation.LOOK_BEFORE_LEAVING) {
            runCommands(program, who + " before leaving");
        }
        program.storeVolatile("leave", TURN, 0);
        if (mutation == Mutation.LOOK_BEFORE_LEAVING || mutation == Mutation.NO_LOOK_AFTER_LEAVING) {
            return;
        }
        program.label(who + " left")
                .load("commands after leaving", COMMANDS)
                .jumpIf(a -> a == 0, who + " gone")
                .compareAndSet("take the turn again", TURN, 0, 1)
                .jumpIf(a -> a == 0, who + " gone");
        runCommands(program, who + " again");
        program.storeVolatile("leave again", TURN, 0).jump(who + " left").label(who + " gone");
    }
}
