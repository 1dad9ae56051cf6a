// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The thread that writes a log message. */
class LogTest {
    private static final String NAME = "io.accel.test.log";
    private static final Logger BACK_END = Logger.getLogger(NAME);

    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            said.add(logged.getMessage() + " by " + Thread.currentThread().getName());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        BACK_END.setUseParentHandlers(false);
        BACK_END.addHandler(handler);
    }

    @AfterEach
    void leave() {
        BACK_END.removeHandler(handler);
    }

    @Test
    void aThreadOfTheProgramSpeaksForItself() {
        Log.of(NAME).get().log(Level.WARNING, "a warning");
        assertThat(said)
                .containsExactly("a warning by " + Thread.currentThread().getName());
    }

    @Test
    void aDaemonIsNotKeptWaitingByABackEnd() {
        Log log = Log.of(NAME);
        Daemons.start("accel-test", () -> {
            log.get().log(Level.WARNING, "first");
            log.get().log(Level.WARNING, "second");
        });
        await().until(() -> said.size() == 2);
        assertThat(said).containsExactly("first by accel-log", "second by accel-log");
    }

    @Test
    void whatIsSaidWhileAccelStartsIsSaidAfterwards() {
        Log.holdUntilStarted();
        Log.of(NAME).get().log(Level.WARNING, "early");
        await().until(() -> said.size() == 1);
        assertThat(said.get(0)).startsWith("early by ");
    }

    @Test
    void whatCanWaitComesBeforeTheNextMessage() {
        Log log = Log.of(NAME);
        log.later(logger -> logger.log(Level.WARNING, "later"));
        Log.of(NAME).get().log(Level.WARNING, "next");
        assertThat(said).hasSize(2);
        assertThat(said.get(0)).startsWith("later by ");
        assertThat(said.get(1)).startsWith("next by ");
    }

    @Test
    void whatCanWaitComesBeforeTheNextMessageOfADaemon() {
        Log.of(NAME).later(logger -> logger.log(Level.WARNING, "later"));
        Daemons.start("accel-test", () -> Log.of(NAME).get().log(Level.WARNING, "next"));
        await().until(() -> said.size() == 2);
        assertThat(said.get(0)).startsWith("later by ");
    }

    @Test
    void whatCanWaitIsSaidOnceIfNothingElseIs() {
        Log.of(NAME).later(logger -> logger.log(Level.WARNING, "later"));
        await().until(() -> !said.isEmpty());
        assertThat(said).singleElement().asString().startsWith("later by accel-");
    }

    @Test
    void aDaemonsWarningIsPrintedIfTheBackEndFails() {
        BACK_END.setFilter(logged -> {
            throw new InternalError("Too many open files");
        });
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, UTF_8));
        try {
            Daemons.start("accel-test", () -> Log.of(NAME)
                    .get()
                    .log(Level.WARNING, "a thread cannot start", new IOException("no descriptor")));
            await().until(() -> printed.toString(UTF_8).contains(System.lineSeparator()));
        } finally {
            System.setErr(before);
            BACK_END.setFilter(null);
        }
        assertThat(printed.toString(UTF_8))
                .contains("accel: a thread cannot start: java.io.IOException: no descriptor, and logging failed: "
                        + "java.lang.InternalError: Too many open files");
    }
}
