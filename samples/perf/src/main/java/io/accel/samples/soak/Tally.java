// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.util.concurrent.atomic.AtomicLong;

/** The counts of a program so far. Thread-safe. */
final class Tally {
    /** All connections. */
    final AtomicLong connections = new AtomicLong();
    /** Conversations of residents that came to their end. */
    final AtomicLong done = new AtomicLong();
    /** Payload of those, one way. */
    final AtomicLong bytes = new AtomicLong();
    /** Conversations of residents that did not. */
    final AtomicLong lost = new AtomicLong();
    /** Conversations with, or of, a program that may be killed, and the number of them that did not come to their end. */
    final AtomicLong others = new AtomicLong();

    final AtomicLong cut = new AtomicLong();
    /** Conversations of residents that a reset has ended, where links are broken on purpose. */
    final AtomicLong resets = new AtomicLong();

    private final boolean linksBreak;

    /** @param linksBreak whether links are broken on purpose, so that some connections may be reset; {@link ResetsTold} says why they were */
    Tally(boolean linksBreak) {
        this.linksBreak = linksBreak;
    }

    void finished(Conversation conversation) {
        if (conversation.resident()) {
            done.incrementAndGet();
            bytes.addAndGet(conversation.length());
        } else {
            others.incrementAndGet();
        }
    }

    /**
     * Counts a conversation that did not come to its end: it is lost if it is a resident's, unless a reset may have ended it, or if bytes were
     * wrong; else it was cut by a killed program.
     */
    void failed(boolean resident, boolean wrong, String what) {
        if (resident && !wrong && linksBreak && isReset(what)) {
            resets.incrementAndGet();
            System.err.println("RESET " + what);
        } else if (resident || wrong) {
            lost.incrementAndGet();
            System.err.println("LOST " + what);
        } else {
            cut.incrementAndGet();
        }
    }

    private static boolean isReset(String what) {
        return what.contains("Connection reset") || what.contains("Broken pipe");
    }

    @Override
    public String toString() {
        return "connections=" + connections + " done=" + done + " bytes=" + bytes + " lost=" + lost + " others="
                + others + " cut=" + cut + " resets=" + resets;
    }
}
