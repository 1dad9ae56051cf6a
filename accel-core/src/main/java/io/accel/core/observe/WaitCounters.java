package io.accel.core.observe;

import java.util.EnumMap;
import java.util.Map;

/**
 * What the threads of this process decided while they waited, and how they were kept waiting for a core. All of it goes with
 * a system call at least, and is counted atomically. Thread-safe.
 */
public final class WaitCounters {
    /** Why a thread slept, though its profile allows for looking. */
    public enum Why {
        /** It had looked for as long as it should. */
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

    /** The core was offered to others, for so long. */
    public static void offered(long nanos) {
        OFFERS.increment();
        OFFER_NANOS.add(nanos);
    }

    /** What was waited for came while the core was another's. */
    public static void handedOver() {
        HANDOVERS.increment();
    }

    /** A thread that wanted to run could not, for so long. */
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

    /** For how many nanoseconds in all. */
    public static long offerNanos() {
        return OFFER_NANOS.sum();
    }

    /** How many waits ended because the core was given to who was waited for. */
    public static long handovers() {
        return HANDOVERS.sum();
    }

    /** How often a thread was found to have been kept waiting for a core, and for how long. */
    public static Durations delays() {
        return DELAYS;
    }

    /** How often a thread went over to sleeping at once because others want its core. */
    public static long crowdings() {
        return CROWDINGS.sum();
    }
}
