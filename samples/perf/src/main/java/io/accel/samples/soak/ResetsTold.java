// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * The connections that Accel has reset with their link, by its own account. {@code docs/GUARANTEES.md} names the moments in which the two
 * ends cannot tell each other what they have received; any other reason is a loss. Thread-safe.
 */
final class ResetsTold extends Handler {
    private static final String ANY = "is reset with its link: ";
    /** The reasons of the end that finds out, of moments that the guarantees except. */
    private static final List<String> EXCEPTED = List.of(
            "the peer does not know of the switch",
            "this end sends or reads no more, and cannot say how much it has received",
            "the peer sends no more through the kernel, and cannot say how much it has received",
            "the peer has gone on through the kernel, and bytes that it sent over the link before may not have come",
            "the peer has closed, and the last bytes that it sent over the link have not come");

    /** What an end says that has heard of a reset from the other. */
    private static final List<String> HEARD = List.of("the peer has lost bytes", "Broken pipe", "Connection reset");

    private final Formatter formatter = new SimpleFormatter();
    private final Tally tally;
    private final AtomicLong excepted = new AtomicLong();

    ResetsTold(Tally tally) {
        this.tally = tally;
        setLevel(Level.INFO);
    }

    /** From now on it hears what Accel logs in this process. */
    void listen() {
        Logger.getLogger("").addHandler(this);
    }

    /** The number of connections that were reset in a moment that the guarantees except. */
    long excepted() {
        return excepted.get();
    }

    @Override
    public void publish(LogRecord entry) {
        String said = formatter.formatMessage(entry);
        int at = said.indexOf(ANY);
        if (at < 0) {
            return;
        }
        String why = said.substring(at + ANY.length());
        if (EXCEPTED.stream().anyMatch(why::startsWith)) {
            excepted.incrementAndGet();
        } else if (HEARD.stream().noneMatch(why::startsWith)) {
            tally.failed(true, true, said);
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
