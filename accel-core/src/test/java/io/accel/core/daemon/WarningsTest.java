// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** How many of many warnings are logged. */
class WarningsTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Exception cause = new Exception("cause");

    @Test
    void fiveAreLoggedAtOnceAndNoMore() {
        Warnings warnings = new Warnings(Lines::new, HOUR);
        for (int i = 0; i < 100_000; i++) {
            warnings.warn("warning " + i, cause);
        }
        assertThat(lines).containsExactly("warning 0", "warning 1", "warning 2", "warning 3", "warning 4");
    }

    @Test
    void laterOneSaysHowManyWereLeftOut() {
        Warnings warnings = new Warnings(Lines::new, TimeUnit.MILLISECONDS.toNanos(300));
        int[] said = {0};
        Awaitility.await()
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(20))
                .until(() -> {
                    warnings.warn("again", cause);
                    said[0]++;
                    return lines.size() == 6;
                });
        assertThat(lines.get(5)).isEqualTo("again (" + (said[0] - 6) + " warnings like this were left out)");
    }

    @Test
    void aLoggerThatFailsDoesNoHarm() {
        Warnings warnings = new Warnings(
                () -> new Lines() {
                    @Override
                    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
                        throw new NoClassDefFoundError("as a logger may");
                    }
                },
                HOUR);
        warnings.warn("not logged", cause);
        assertThat(lines).isEmpty();
    }

    private class Lines implements System.Logger {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            assertThat(level).isEqualTo(Level.WARNING);
            assertThat(thrown).isSameAs(cause);
            lines.add(message);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            throw new AssertionError("no cause");
        }
    }
}
