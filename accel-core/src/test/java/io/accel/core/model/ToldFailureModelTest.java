// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The kernel tells a reader of a connection's failure while a writer may just be coming to the link. A third thread writes when the reader
 * has been told, and no link may take its bytes.
 */
class ToldFailureModelTest {
    private static final int FAILED = 0;
    private static final int SWITCHING = 1;
    private static final int BY_LINK = 2;
    private static final int ABANDONED = 3;
    private static final int TOLD = 4;
    private static final int WRITTEN = 5;
    private static final int WORDS = 6;

    enum Mutation {
        NONE,
        /** A writer does not look whether the connection has failed. */
        NOT_ASKED,
        /** It looks before it says that it is switching. */
        ASKED_FIRST,
        /** It says so without a fence behind that. */
        NO_FENCE_AFTER_SWITCHING,
        /** The reader does not wait for a writer that is switching. */
        NOT_AWAITED,
        /** The reader takes note of the failure behind its look. */
        NOTED_LATE,
        /** The output stays at the link. */
        STAYS
    }

    @Test
    void noLinkTakesAWriteBehindAReadThatWasTold() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfItsStepsALinkTakesIt(Mutation mutation) {
        assertThat(explore(mutation)).isPresent();
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program[] programs = {reader(mutation), writer(mutation), later()};
        Explorer explorer = new Explorer(m -> m.word(WRITTEN) == 1, programs);
        return explorer.explore(new Memory(WORDS, programs.length, 1), 100);
    }

    /** Incoming.failed, Outgoing.hasCome. */
    private static Program reader(Mutation mutation) {
        Program reader = new Program();
        if (mutation != Mutation.NOTED_LATE) {
            reader.storeVolatile("failed", FAILED, 1);
        }
        if (mutation != Mutation.NOT_AWAITED) {
            reader.await("is nobody switching?", m -> m.word(SWITCHING) == 0);
        }
        reader.load("by link?", BY_LINK);
        if (mutation != Mutation.STAYS) {
            reader.jumpIf(a -> a == 0, "told").storeVolatile("abandon", ABANDONED, 1);
        }
        reader.label("told");
        if (mutation == Mutation.NOTED_LATE) {
            reader.storeVolatile("failed", FAILED, 1);
        }
        return reader.storeVolatile("told", TOLD, 1);
    }

    /** Outgoing.trySwitch. */
    private static Program writer(Mutation mutation) {
        Program writer = new Program();
        if (mutation == Mutation.ASKED_FIRST) {
            writer.load("failed?", FAILED).jumpIf(a -> a == 1, "kernel");
        }
        if (mutation == Mutation.NO_FENCE_AFTER_SWITCHING) {
            writer.store("switching", SWITCHING, 1);
        } else {
            writer.storeVolatile("switching", SWITCHING, 1);
        }
        if (mutation != Mutation.NOT_ASKED && mutation != Mutation.ASKED_FIRST) {
            writer.load("failed?", FAILED).jumpIf(a -> a == 1, "kernel");
        }
        return writer.storeVolatile("by link", BY_LINK, 1).label("kernel").storeVolatile("has switched", SWITCHING, 0);
    }

    /** A write behind the read; it comes to no link by itself, since it finds the connection failed. */
    private static Program later() {
        return new Program()
                .await("is the reader told?", m -> m.word(TOLD) == 1)
                .load("by link?", BY_LINK)
                .jumpIf(a -> a == 0, "kernel")
                .check("a link takes the write", m -> m.word(ABANDONED) == 1)
                .label("kernel")
                .act("written", m -> true, m -> m.word(WRITTEN, 1));
    }
}
