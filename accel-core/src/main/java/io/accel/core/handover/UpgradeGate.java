// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

/**
 * The gate through which the connections of a process come to links. The first link in a process is the dear one: the JVM loads and
 * compiles the code of links for it. So one connection goes first, the <em>canary</em>, and the others wait until its link has shown that
 * it is not slower than the kernel. A canary that is slower shuts the gate for a time, which doubles each time.
 *
 * <p>Where processors are idle, compilers take nothing from the program. Where more threads want to run than there are processors, all that
 * the first link costs comes out of the program's own work. There the canary waits until the cost is a small part of what the process has
 * used, and others wait while the compilers are busy.
 *
 * <p>One thread, the one that searches for links; observers may read {@link #state}.
 */
public final class UpgradeGate {
    /** Where the process stands. */
    public enum State {
        /** No connection has tried a link so far, or the last one that tried has not come to a result. */
        CLOSED,
        /** The canary is on its way, or on its link. */
        TRYING,
        /** Links have shown that they are worth it. */
        OPEN,
        /** The last canaries were slower with a link than without. */
        SHUT
    }

    /** How often the machine is asked. */
    static final long LOOK_NANOS = 50_000_000L;
    /** After this time what earlier looks have found says nothing any more. */
    static final long KNOWN_NANOS = 1_000_000_000L;
    /** How often it is asked while nothing is about to change. */
    private static final long LONG_PAUSE_NANOS = 250_000_000L;
    /** How many looks a closed gate takes at least before it opens. */
    private static final int LEAST_LOOKS = 3;
    /** How long a canary may take to come to a result; a program that is quiet comes to none. */
    static final long MOST_TRYING_NANOS = 10_000_000_000L;

    private static final long FIRST_SHUT_NANOS = 1_000_000_000L;
    private static final long LONGEST_SHUT_NANOS = 60_000_000_000L;

    /** The processor time that the first link costs at either end where nothing was measured: most of it is the compilers'. */
    static final long FIRST_LINK_NANOS = 1_000_000_000L;

    /** How many slower links in a row shut a gate that was open. */
    private static final int MOST_SLOWER = 2;
    /** A processor is crowded when this part of the looks, in hundredths, has found more threads than processors. */
    private static final int CROWDED = 50;
    /** The weight of the newest look, in hundredths. */
    private static final int NEWEST = 25;

    private final Senses senses;
    /** The part of the time of a crowded process that the first link may take, in hundredths. */
    private final int share;

    private volatile State state = State.CLOSED;
    private Object canary;
    private long since;
    private long shutNanos = FIRST_SHUT_NANOS;
    private int slower;

    private int looks;
    private long lookedAt;
    private long compilers;
    /** How crowded the processors were lately, in hundredths. */
    private int crowd;
    /** Whether the compilers have used more than half a processor since the last look but one. */
    private boolean compiling;

    /**
     * A gate of a process that has had no link.
     *
     * @param senses the load of the machine
     * @param share which part of its processor time a crowded process may spend for the first link, in hundredths, at least 1
     */
    public UpgradeGate(Senses senses, int share) {
        this.senses = senses;
        this.share = share;
    }

    /** Where the process stands. Any thread. */
    public State state() {
        return state;
    }

    /** How long to wait before the gate is asked again, if it has let nobody through. */
    public long pauseNanos() {
        return state == State.SHUT || (state == State.CLOSED && looks >= LEAST_LOOKS && isCrowded())
                ? LONG_PAUSE_NANOS
                : LOOK_NANOS;
    }

    /**
     * Lets a connection through, or not.
     *
     * @param one the connection that has waited for longest
     * @param now the time, as {@link System#nanoTime}, not before the last {@link #look}
     */
    public boolean admits(Object one, long now) {
        if (state == State.TRYING && now - since > MOST_TRYING_NANOS) {
            failed(canary); // it is quiet, and keeps its link; another may tell more
        } else if (state == State.SHUT && now - since >= 0) {
            state = State.CLOSED;
        }
        if (state == State.OPEN) {
            return !isBusy();
        }
        if (state != State.CLOSED || looks < LEAST_LOOKS || isBusy() || !isAffordable()) {
            return false;
        }
        state = State.TRYING;
        canary = one;
        since = now;
        return true;
    }

    /** Looks at the machine, unless it has just done so. To be called now and then while a connection waits or is tried. */
    public void look(long now) {
        if (looks > 0 && now - lookedAt < LOOK_NANOS) {
            return;
        }
        boolean isAnew = looks == 0 || now - lookedAt > KNOWN_NANOS;
        long used = senses.compilerNanos();
        compiling = !isAnew && used - compilers > (now - lookedAt) / 2;
        compilers = used;
        lookedAt = now;
        int found = senses.isCrowded() ? 100 : 0;
        crowd = isAnew ? found : crowd + (found - crowd) * NEWEST / 100;
        looks++;
    }

    /** Whether the compilers were busy lately. */
    public boolean isCompiling() {
        return compiling;
    }

    private boolean isCrowded() {
        return crowd >= CROWDED;
    }

    private boolean isBusy() {
        return compiling && isCrowded();
    }

    private boolean isAffordable() {
        return !isCrowded() || senses.processNanos() >= FIRST_LINK_NANOS * 100 / share;
    }

    /**
     * Whether a process that a peer asks for a link can afford it now. There is no canary: the peer has one.
     *
     * @param now the time
     */
    public boolean serves(long now) {
        look(now);
        return isAffordable();
    }

    private void open() {
        state = State.OPEN;
        canary = null;
        slower = 0;
        shutNanos = FIRST_SHUT_NANOS;
    }

    /** Takes note that a connection that was let through has no link: there is none for it, or it has closed. */
    public void failed(Object one) {
        if (one == canary) {
            canary = null;
            state = State.CLOSED;
        }
    }

    /**
     * Takes note of the trial of a link.
     *
     * @param isSlower whether the connection was slower with the link than without
     * @param now the time
     */
    public void judged(boolean isSlower, long now) {
        if (!isSlower) {
            open();
        } else if (state == State.TRYING || ++slower >= MOST_SLOWER) {
            slower = 0;
            canary = null;
            state = State.SHUT;
            since = now + shutNanos;
            shutNanos = Math.min(2 * shutNanos, LONGEST_SHUT_NANOS);
        }
    }
}
