// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A thread that registers a connection with a poller, a second that brings the connection a link, and a third that closes it. The poller must hear
 * of the link and of the close, from the command stack, in which a registration must be once.
 */
class RegistrationModelTest {
    // Shared words.
    private static final int PENDING = 0;
    private static final int SHARED = 1;
    private static final int ATTACHED = 2;
    private static final int IN_STACK = 3;
    private static final int WORDS = 4;

    private static final int REFRESH = 1;
    private static final int CLOSE = 2;

    enum Mutation {
        NONE,
        /** Whether there is a link is looked up before others can hand the registration to the poller. */
        LOOKS_FIRST,
        /** It is not looked up. */
        NO_LOOK,
        /** The registration is handed over although another has done that. */
        ALWAYS_PUSHED
    }

    @Test
    void thePollerHearsOfTheLinkAndOfTheCloseOnce() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsItDoesNot(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {registrar(mutation), attacher(), closer()};
        Explorer[] explorer = new Explorer[1];
        explorer[0] = new Explorer(memory -> explorer[0].areOver(memory) && hears(memory), programs);
        Memory memory = new Memory(WORDS, programs.length, 1);
        memory.word(PENDING, REFRESH);
        return explorer[0].explore(memory, 50);
    }

    private static boolean hears(Memory memory) {
        return memory.word(IN_STACK) == 1 && memory.word(PENDING) == (REFRESH | CLOSE);
    }

    /** Poller.register, from the share in the connection on. */
    private static Program registrar(Mutation mutation) {
        Program registrar = new Program();
        registrar.act("retained", m -> true, m -> m.word(SHARED, 1));
        if (mutation == Mutation.LOOKS_FIRST) {
            registrar.load("is there a link?", ATTACHED).jumpIf(a -> a == 1, "push");
        }
        registrar.compareAndSet("begin", PENDING, REFRESH, 0).jumpIf(a -> a == 0, "push");
        if (mutation == Mutation.ALWAYS_PUSHED) {
            registrar.jump("push");
        }
        if (mutation == Mutation.NONE) {
            registrar.load("is there a link?", ATTACHED).jumpIf(a -> a == 0, "end");
            leaveWord(registrar, REFRESH);
        }
        return registrar
                .jump("end")
                .label("push")
                .act("push", m -> true, RegistrationModelTest::push)
                .label("end");
    }

    /** StreamHandover.attach, and the refresh of all registrations. */
    private static Program attacher() {
        Program attacher = new Program();
        attacher.storeVolatile("attach", ATTACHED, 1).load("is there a registration?", SHARED);
        attacher.jumpIf(a -> a == 0, "end");
        leaveWord(attacher, REFRESH);
        return attacher.label("end");
    }

    /** Shares.close, once there is a registration: one that comes later is refused. */
    private static Program closer() {
        Program closer = new Program();
        closer.await("a registration", m -> m.word(SHARED) == 1);
        leaveWord(closer, CLOSE);
        return closer.label("end");
    }

    private static void leaveWord(Program program, int what) {
        program.update("leave word", PENDING, old -> old | what)
                .jumpIf(a -> a != 0, "end")
                .act("push", m -> true, RegistrationModelTest::push);
    }

    private static void push(Memory memory) {
        if (memory.word(IN_STACK) == 1) {
            throw new Program.Violation("it is in the stack twice");
        }
        memory.word(IN_STACK, 1);
    }
}
