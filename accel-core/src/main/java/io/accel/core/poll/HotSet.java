// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * The registrations whose memory a poller looks at, at most {@code poll.hot-max} of them at every moment.
 * Registrations with recent traffic are <em>busy</em> and stand in front: each turn looks at all of them. The others
 * <em>rest</em>: each turn looks at the next few, so that they cost a busy link nothing measurable, and yet need no
 * doorbell. Owned by the thread that has the turn.
 */
final class HotSet {
    /** How many members at most are searched for the quietest. */
    private static final int EXAMINED = 64;

    private final Supplier<PollConfig> configured;
    /** How many members this may have; 0 as long as there was none. */
    private int most;
    /** The members: busy ones up to {@link #busy}, resting ones up to {@link #size}. */
    private Registration[] members = new Registration[16];

    private int size;
    private int busy;
    /** How many members wait for other hosts. */
    private int remote;
    /** The index that the slow walk for idle members has reached. */
    private int walk;
    /** The index that the looks at resting members have reached. */
    private int rest;
    /** The index that the search for the quietest has reached. */
    private int examined;

    /**
     * Makes an empty set.
     *
     * @param configured says how many members it may have; asked before the first is added
     */
    HotSet(Supplier<PollConfig> configured) {
        this.configured = configured;
    }

    int size() {
        return size;
    }

    int busy() {
        return busy;
    }

    /** How many members {@linkplain Pollable#isRemote wait for other hosts}. */
    int remote() {
        return remote;
    }

    boolean isFull() {
        if (most == 0) {
            most = configured.get().hotMax();
        }
        return size >= most;
    }

    Registration get(int i) {
        return members[i];
    }

    boolean contains(Registration registration) {
        return registration.hotIndex >= 0;
    }

    /** Adds a registration that is not in the set, as a busy one. The set must not be full. */
    void add(Registration registration) {
        if (size == members.length) {
            members = Arrays.copyOf(members, size * 2);
        }
        registration.remote = registration.pollable.isRemote(); // first: it may fail
        registration.hotIndex = size;
        registration.idleSince = 0;
        remote += registration.remote ? 1 : 0;
        members[size++] = registration;
        wake(registration);
    }

    void remove(Registration registration) {
        if (registration.hotIndex < 0) {
            return;
        }
        rest(registration);
        remote -= registration.remote ? 1 : 0;
        Registration last = members[--size];
        put(last, registration.hotIndex);
        members[size] = null;
        registration.hotIndex = -1;
    }

    /** A member is busy from now on. */
    void wake(Registration registration) {
        int at = registration.hotIndex;
        if (at >= busy) {
            swap(at, busy++);
        }
    }

    /** A member rests from now on. */
    void rest(Registration registration) {
        int at = registration.hotIndex;
        if (at < busy) {
            swap(at, --busy);
        }
    }

    private void swap(int a, int b) {
        Registration moved = members[a];
        put(members[b], a);
        put(moved, b);
    }

    private void put(Registration registration, int at) {
        members[at] = registration;
        registration.hotIndex = at;
    }

    /** The index of the next resting member of a walk around them; there must be one. */
    int nextResting() {
        if (++rest >= size || rest < busy) {
            rest = busy;
        }
        return rest;
    }

    /** The next member of a walk around the set, which must not be empty. */
    Registration walk() {
        if (++walk >= size) {
            walk = 0;
        }
        return members[walk];
    }

    /**
     * The member that was found ready the longest ago, among the next {@value #EXAMINED} resting members, or among
     * the busy ones if none rests. The set must not be empty.
     */
    Registration quietest() {
        int from = busy < size ? busy : 0;
        int count = size - from;
        Registration quietest = null;
        for (int i = Math.min(count, EXAMINED); i > 0; i--) {
            examined = examined + 1 < count ? examined + 1 : 0;
            Registration one = members[from + examined];
            if (quietest == null || one.foundAt - quietest.foundAt < 0) {
                quietest = one;
            }
        }
        return quietest;
    }
}
