// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The lines that Accel logs, in any thread, until this is closed. */
final class LogLines extends Handler implements AutoCloseable {
    private final Predicate<String> wanted;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    /** Strong as long as this listens: the logging system itself would forget it. */
    private final Logger logger = Logger.getLogger("io.accel");

    /** Listens for the lines that are wanted. */
    LogLines(Predicate<String> wanted) {
        this.wanted = wanted;
        logger.addHandler(this);
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        String said = String.valueOf(line.getMessage());
        if (wanted.test(said)) {
            lines.add(said);
        }
    }

    @Override
    public void flush() {
        // nothing is kept
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
