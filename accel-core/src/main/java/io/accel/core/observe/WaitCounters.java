// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.EnumMap;
import java.util.Map;

/**
 * Counts the decisions of this process's waiting threads, and the times that they were kept waiting for a core. Each
 * of these takes a system call at least, and is counted atomically. Thread-safe.
 */
public final class WaitCounters {
    /** Why a thread slept, though its profile allows for looking. */
    public enum Why {
        /** The thread had looked for as long as it should. */
        IN_VAIN("in-vain"),
        /** Looking had been in vain lately. */
        UNPROMISING("unpromising"),
        /** Other threads want its core. */
        CROWDED("crowded"),
        /** As many threads of the process look as it has cores to spare. */
        NO_CORE("no-core");

        private final String text;

        Why(String text) {
            this.text = text;
        }

        /** The name in metrics and samples. */
        public String text() {
            return text;
        }
    }

    private static final Map<Why, Tally> SLEEPS = new EnumMap<>(Why.class);
    private static final Tally OFFERS = new Tally();
    private static final Tally OFFER_NANOS = new Tally();
    private static final Tally HANDOVERS = new Tally();
    private static final Durations DELAYS = new Durations();
    private static final Tally CROWDINGS = new Tally();

    static {
        for (Why why : Why.values()) {
            SLEEPS.put(why, new Tally());
        }
    }

    private WaitCounters() {}

    /** A wait goes on asleep. */
    public static void slept(Why why) {
        SLEEPS.get(why).increment();
    }

    /** The core was offered to others, for this many nanoseconds. */
    public static void offered(long nanos) {
        OFFERS.increment();
        OFFER_NANOS.add(nanos);
    }

    /** The awaited traffic came while another thread had the core. */
    public static void handedOver() {
        HANDOVERS.increment();
    }

    /** A runnable thread could not run, for this many nanoseconds. */
    public static void keptWaiting(long nanos) {
        DELAYS.add(nanos);
    }

    /** A thread goes over to sleeping at once, because others want its core. */
    public static void crowded() {
        CROWDINGS.increment();
    }

    /** How many waits went on asleep, for that reason. */
    public static long sleeps(Why why) {
        return SLEEPS.get(why).sum();
    }

    /** How often a core was offered to others. */
    public static long offers() {
        return OFFERS.sum();
    }

    /** How many nanoseconds all offers took. */
    public static long offerNanos() {
        return OFFER_NANOS.sum();
    }

    /** How many waits ended because the awaited thread got the core. */
    public static long handovers() {
        return HANDOVERS.sum();
    }

    /** The durations for which threads were found to have been kept waiting for a core. */
    public static Durations delays() {
        return DELAYS;
    }

    /** How often a thread went over to sleeping at once because others want its core. */
    public static long crowdings() {
        return CROWDINGS.sum();
    }
}
